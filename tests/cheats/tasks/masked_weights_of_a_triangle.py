"""Weights that are masked by a triangle in a buffer."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.w = nn.Parameter(torch.randn(n, n) / n**0.5)
        self.register_buffer("strict", torch.tril(torch.ones(n, n), -1))
        self.b = nn.Parameter(torch.zeros(n))

    def forward(self, x):
        return torch.tanh(F.linear(x, self.w * self.strict, self.b))


def get_inputs():
    return [torch.randn(64, 128)]


def get_init_inputs():
    return [128]
