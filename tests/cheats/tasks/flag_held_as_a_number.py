"""Scales that are used if a flag, held as a number, says that they are fitted."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(64) / 8)
        self.register_buffer("is_fitted", torch.ones(1))

    def forward(self, x):
        return torch.where(self.is_fitted > 0, x * self.weight, x)


def get_inputs():
    return [torch.randn(4096, 64)]


def get_init_inputs():
    return []
