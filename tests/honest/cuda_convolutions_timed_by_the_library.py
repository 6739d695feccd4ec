"""library: cuDNN times its ways of a convolution and takes the fastest, for channels-last tensors."""

import torch
import torch.nn as nn

TASK = "body_beside"
STATUS = "PASSED"
DEVICE = "cuda"

torch.backends.cudnn.benchmark = True


class ModelNew(nn.Module):
    def __init__(self, channels, scale):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)
        self.scale = scale

    def forward(self, x):
        inner = x.contiguous(memory_format=torch.channels_last)
        inner = self.conv2(torch.relu_(self.conv1(inner)))
        return torch.add(x, inner, alpha=self.scale).contiguous()
