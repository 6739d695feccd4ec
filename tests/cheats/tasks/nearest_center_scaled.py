"""How far the nearest of trained centers is in widths, which a number that it calls `inv` says."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, width):
        super().__init__()
        self.centers = nn.Parameter(torch.linspace(-3, 3, n))
        self.width = width

    def forward(self, x):
        inv = 1.0 / self.width
        return (x[:, None] - self.centers).abs().amin(-1) * inv


def get_inputs():
    return [torch.randn(4096)]


def get_init_inputs():
    return [512, 0.5]
