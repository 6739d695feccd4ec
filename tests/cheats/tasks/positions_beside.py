"""Activations turned by their positions, and the table of these beside them."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, steps):
        super().__init__()
        self.rates = nn.Parameter(torch.rand(n) + 0.1)
        self.register_buffer("steps", torch.arange(steps) / steps)

    def forward(self, x):
        table = torch.sin(torch.outer(self.steps, self.rates))
        return x * table, table


def get_inputs():
    return [torch.randn(2, 512, 256)]


def get_init_inputs():
    return [256, 512]
