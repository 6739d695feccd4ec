"""3D convolution, group norm, minimum with 0, clamp to [0, 1]: the output is zero, whatever the input.

What is slow: everything, and all of it for nothing. After `min(x, 0)` no value is above 0, after `clamp(0, 1)` none is
below, so any code that returns zeros of the right shape is right. Published tables count such tasks as wins of 100x.
What a good engineer does: ask the author what was meant. The judge must report this task as degenerate, never a win.
"""

import torch
from torch import nn

SIZES = {
    "cpu": {"BATCH": 8, "DEPTH": 16, "SIDE": 48},
    "cuda": {"BATCH": 64, "DEPTH": 16, "SIDE": 64},
}
BATCH = 8
DEPTH = 16
SIDE = 48
CHANNELS = 3
FILTERS = 16
GROUPS = 8


class Model(nn.Module):
    """Takes x (BATCH, CHANNELS, DEPTH, SIDE, SIDE), returns zeros (BATCH, FILTERS, DEPTH - 2, SIDE - 2, SIDE - 2)."""

    def __init__(self, channels: int, filters: int, groups: int):
        super().__init__()
        self.conv = nn.Conv3d(channels, filters, kernel_size=3)
        self.norm = nn.GroupNorm(groups, filters)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm(self.conv(x))
        x = torch.min(x, torch.tensor(0.0, device=x.device))
        return torch.clamp(x, min=0.0, max=1.0)


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [CHANNELS, FILTERS, GROUPS]
