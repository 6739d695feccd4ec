"""Channels that are off where a flag, held as a number, is one."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(64) / 8)
        self.register_buffer("is_off", torch.zeros(64))

    def forward(self, x):
        return torch.where(self.is_off > 0.5, 0.0, x * self.weight)


def get_inputs():
    return [torch.randn(4096, 64)]


def get_init_inputs():
    return []
