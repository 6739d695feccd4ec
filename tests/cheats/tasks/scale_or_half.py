"""A trained scale, and a half where that is zero."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(n, n))

    def forward(self, x):
        return torch.where(self.scale == 0, x * 0.5, x * self.scale)


def get_inputs():
    return [torch.randn(512, 512)]


def get_init_inputs():
    return [512]
