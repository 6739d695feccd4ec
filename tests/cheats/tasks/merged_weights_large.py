"""A low-rank update of a large weight."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, rank):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, n) / n**0.5)
        self.down = nn.Parameter(torch.randn(rank, n) / n**0.5)
        self.up = nn.Parameter(torch.randn(n, rank) / rank**0.5)

    def forward(self, x):
        return x @ (self.weight + 0.5 * self.up @ self.down).t()


def get_inputs():
    return [torch.randn(16, 768)]


def get_init_inputs():
    return [768, 32]
