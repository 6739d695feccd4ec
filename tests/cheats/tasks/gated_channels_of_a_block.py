"""A block of EfficientNet's: norms behind convolutions, an activation of its own with a gradient, gated channels."""

import torch
from torch import nn


class SwishFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        result = i * torch.sigmoid(i)
        ctx.save_for_backward(i)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        i = ctx.saved_tensors[0]
        s = torch.sigmoid(i)
        return grad_output * (s * (1 + i * (1 - s)))


class MemoryEfficientSwish(nn.Module):
    def forward(self, x):
        return SwishFn.apply(x)


class Conv2dStaticSamePadding(nn.Conv2d):
    def __init__(self, *args, image_size=None, **kwargs):
        super().__init__(*args, **kwargs)
        k = self.kernel_size[0]
        self.static_padding = nn.ZeroPad2d(((k - 1) // 2, k // 2, (k - 1) // 2, k // 2))

    def forward(self, x):
        return super().forward(self.static_padding(x))


class Model(nn.Module):
    def __init__(self, inp=16, expand=4, k=3, se_ratio=0.25):
        super().__init__()
        oup = inp * expand
        self._expand_conv = nn.Conv2d(inp, oup, 1, bias=False)
        self._bn0 = nn.BatchNorm2d(oup, momentum=0.01, eps=1e-3)
        self._depthwise_conv = Conv2dStaticSamePadding(oup, oup, k, groups=oup, bias=False)
        self._bn1 = nn.BatchNorm2d(oup, momentum=0.01, eps=1e-3)
        sq = max(1, int(inp * se_ratio))
        self._se_reduce = nn.Conv2d(oup, sq, 1)
        self._se_expand = nn.Conv2d(sq, oup, 1)
        self._project_conv = nn.Conv2d(oup, inp, 1, bias=False)
        self._bn2 = nn.BatchNorm2d(inp, momentum=0.01, eps=1e-3)
        self._swish = MemoryEfficientSwish()

    def forward(self, inputs, drop_connect_rate=None):
        x = self._swish(self._bn0(self._expand_conv(inputs)))
        x = self._swish(self._bn1(self._depthwise_conv(x)))
        s = x.mean((2, 3), keepdim=True)
        s = self._se_expand(self._swish(self._se_reduce(s)))
        x = torch.sigmoid(s) * x
        x = self._bn2(self._project_conv(x))
        return x + inputs


def get_inputs():
    return [torch.randn(2, 16, 28, 28)]


def get_init_inputs():
    return []
