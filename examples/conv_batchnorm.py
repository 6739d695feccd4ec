"""Convolution, batch norm in eval mode, ReLU, twice: the body of a small image classifier at inference.

What is slow: batch norm in eval mode is a fixed scale and shift of each channel, yet it costs a pass over the
activations, as does each ReLU. The default memory format is not the one that convolutions like best.
What a good engineer does: fold scale and shift into the convolution's weights, fuse the ReLU, try channels_last.
"""

import torch
from torch import nn

SIZES = {"cpu": {"BATCH": 8, "SIDE": 64}, "cuda": {"BATCH": 128, "SIDE": 128}}
BATCH = 8
SIDE = 64
CHANNELS = 16
FILTERS = 32


class Model(nn.Module):
    """Takes x (BATCH, CHANNELS, SIDE, SIDE), returns (BATCH, FILTERS, SIDE, SIDE)."""

    def __init__(self, channels: int, filters: int):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, filters, kernel_size=3, padding=1)
        self.norm1 = nn.BatchNorm2d(filters)
        self.conv2 = nn.Conv2d(filters, filters, kernel_size=3, padding=1)
        self.norm2 = nn.BatchNorm2d(filters)
        for norm in (self.norm1, self.norm2):  # as after training: no channel has mean 0 and variance 1
            norm.running_mean.normal_(0.0, 0.3)
            norm.running_var.uniform_(0.3, 1.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.norm1(self.conv1(x)))
        return torch.relu(self.norm2(self.conv2(x)))


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [CHANNELS, FILTERS]
