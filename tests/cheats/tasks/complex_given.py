"""A channel matrix applied to complex symbols."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, m, dtype=torch.complex64) / n**0.5)

    def forward(self, x):
        return torch.matmul(x, self.weight)


def get_inputs():
    return [torch.randn(64, 256).to(torch.complex64)]


def get_init_inputs():
    return [256, 256]
