"""Activations behind a mask of numbers, and of those what a mask of flags leaves."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.a = nn.Linear(n, n)
        self.b = nn.Linear(n, n)

    def forward(self, x, mask, valid):
        return torch.where(valid, self.a(x), self.b(x)) * mask


def get_inputs():
    mask = (torch.rand(256, 1) > 0.5).float()
    return [torch.randn(256, 256), mask, mask.bool()]


def get_init_inputs():
    return [256]
