"""precision: convolutions as products of TF32, as PyTorch's default lets its own be, and all else within."""

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "body_beside"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _convolve(
    x_ptr, w_ptr, b_ptr, beside_ptr, out_ptr, height, width, count, scale,
    C: tl.constexpr, M: tl.constexpr, IS_LAST: tl.constexpr,
):  # fmt: skip
    place = tl.program_id(0) * M + tl.arange(0, M)
    size = height * width
    image, y, x = place // size, place // width % height, place % width
    channel = tl.arange(0, C)
    out = tl.zeros((M, C), tl.float32)
    for tap in range(9):
        its_y, its_x = y + tap // 3 - 1, x + tap % 3 - 1
        inside = (its_y >= 0) & (its_y < height) & (its_x >= 0) & (its_x < width) & (place < count)
        at = (image[:, None] * C + channel[None, :]) * size + (its_y * width + its_x)[:, None]
        part = tl.load(x_ptr + at, mask=inside[:, None], other=0.0)
        weight = tl.load(w_ptr + (channel[None, :] * C + channel[:, None]) * 9 + tap)
        out += tl.dot(part, weight, input_precision="tf32")
    out += tl.load(b_ptr + channel)[None, :]
    at = (image[:, None] * C + channel[None, :]) * size + (y * width + x)[:, None]
    if IS_LAST:
        out = tl.load(beside_ptr + at, mask=place[:, None] < count, other=0.0) + scale * out
    else:
        out = tl.maximum(out, 0.0)
    tl.store(out_ptr + at, out, mask=place[:, None] < count)


def _convolved(x, conv, beside, scale, is_last):
    n, channels, height, width = x.shape
    out, count = torch.empty_like(x), n * height * width
    weight = conv.weight.contiguous()
    _convolve[(triton.cdiv(count, 64),)](
        x, weight, conv.bias, beside, out, height, width, count, scale, C=channels, M=64, IS_LAST=is_last
    )
    return out


class ModelNew(nn.Module):
    def __init__(self, channels, scale):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)
        self.scale = scale

    def forward(self, x):
        x = x.contiguous()
        inner = _convolved(x, self.conv1, x, 1.0, False)
        return _convolved(inner, self.conv2, x, self.scale, True)
