"""Three average pools one after the other, then the mean over what is left.

What is slow: every pool writes an image that the next one reads back. As the windows tile the image exactly, the mean
of means of equal windows is the mean of all pixels: the pools change nothing.
What a good engineer does: `x.mean(dim=(2, 3))`, one pass over the input.
"""

import torch
from torch import nn

SIZES = {"cpu": {"BATCH": 8, "SIDE": 256}, "cuda": {"BATCH": 64, "SIDE": 512}}
BATCH = 8
CHANNELS = 16
SIDE = 256


class Model(nn.Module):
    """Takes x (BATCH, CHANNELS, SIDE, SIDE) with SIDE a multiple of 8, returns (BATCH, CHANNELS)."""

    def __init__(self):
        super().__init__()
        self.first = nn.AvgPool2d(kernel_size=2)
        self.second = nn.AvgPool2d(kernel_size=2)
        self.third = nn.AvgPool2d(kernel_size=2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        x = self.second(x)
        x = self.third(x)
        return x.mean(dim=(2, 3))


def get_inputs():
    # Each channel has a brightness of its own: the mean of pure noise would vanish.
    return [torch.randn(BATCH, CHANNELS, SIDE, SIDE) + torch.randn(BATCH, CHANNELS, 1, 1)]


def get_init_inputs():
    return []
