"""A complex layer whose weight is a product of two."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.one = nn.Parameter(torch.randn(n, n, dtype=torch.cfloat) / n**0.5)
        self.two = nn.Parameter(torch.randn(n, n, dtype=torch.cfloat) / n**0.5)

    def forward(self, x):
        return x @ (self.one @ self.two)


def get_inputs():
    return [torch.randn(32, 256, dtype=torch.cfloat)]


def get_init_inputs():
    return [256]
