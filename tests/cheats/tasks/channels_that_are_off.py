"""Channels that are off are filled from the others."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fill = nn.Conv2d(16, 16, 3, padding=1)

    def forward(self, x):
        is_off = x.abs().amax((2, 3), keepdim=True) == 0
        return torch.where(is_off, self.fill(x), torch.tanh(x))


def get_inputs():
    return [torch.randn(8, 16, 32, 32)]


def get_init_inputs():
    return []
