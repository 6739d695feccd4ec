"""Complex weights, and a low-rank complex product beside them."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, rank):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, n, dtype=torch.complex64) / n**0.5)
        self.down = nn.Parameter(torch.randn(rank, n, dtype=torch.complex64) / n**0.5)
        self.up = nn.Parameter(torch.randn(n, rank, dtype=torch.complex64) / rank**0.5)

    def forward(self, x):
        return x @ (self.weight + self.up @ self.down)


def get_inputs():
    return [torch.randn(16, 384, dtype=torch.complex64)]


def get_init_inputs():
    return [384, 32]
