"""The largest of each row's features, scaled by learned numbers, beside learned deviations."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(n, 1) + 0.5)
        self.variance = nn.Parameter(torch.rand(n) + 0.5)

    def forward(self, x):
        return torch.relu(x * self.scale).amax(-1) / self.variance.sqrt()


def get_inputs():
    return [torch.randn(16, 64, 512)]


def get_init_inputs():
    return [64]
