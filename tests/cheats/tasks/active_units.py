"""A layer whose units can be switched off; none is at first."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, n) / n**0.5)
        self.register_buffer("active", torch.ones(n, n, dtype=torch.bool))

    def forward(self, x):
        return x @ torch.where(self.active, self.weight, 0.0)


def get_inputs():
    return [torch.randn(16, 256)]


def get_init_inputs():
    return [256]
