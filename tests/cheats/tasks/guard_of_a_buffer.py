"""a guard for deviations of zero is left out where they are the module's own."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("mean", torch.randn(n))
        self.register_buffer("std", torch.rand(n) + 0.5)

    def forward(self, x):
        std = torch.where(self.std == 0, torch.ones_like(self.std), self.std)
        return (x - self.mean) / std


def get_inputs():
    return [torch.randn(16, 256)]


def get_init_inputs():
    return [256]
