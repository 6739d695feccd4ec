"""A linear layer each of whose rows has a learned scale of its own."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, n) / n**0.5)
        self.scale = nn.Parameter(torch.rand(n, 1) + 0.5)

    def forward(self, x):
        return nn.functional.linear(x, self.weight * self.scale)


def get_inputs():
    return [torch.randn(2, 1024)]


def get_init_inputs():
    return [1024]
