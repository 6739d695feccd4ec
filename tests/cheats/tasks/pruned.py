"""A linear layer whose weights are pruned by a mask of the module's own."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, n) / n**0.5)
        kept = torch.randperm(n // 32)[:, None] < n // 256
        self.register_buffer("mask", kept.repeat(1, 32).reshape(n, 1).expand(n, n).clone())

    def forward(self, x):
        return x @ (self.weight * self.mask).t()


def get_inputs():
    return [torch.randn(64, 512)]


def get_init_inputs():
    return [512]
