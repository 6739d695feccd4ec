"""A scale with a limit ten times what it begins with."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.scale = nn.Parameter(torch.full((n, n), 10.0))

    def forward(self, x):
        return x * self.scale.clamp(max=100.0)


def get_inputs():
    return [torch.randn(512, 512)]


def get_init_inputs():
    return [512]
