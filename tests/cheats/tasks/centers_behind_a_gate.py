"""The value of the nearest of trained centers, behind a gate that begins at zero."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.centers = nn.Parameter(torch.linspace(-3, 3, 256))
        self.values = nn.Parameter(torch.randn(256))
        self.gate = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        nearest = (x[:, None] - self.centers).abs().argmin(1)
        return x + self.gate * self.values[nearest]


def get_inputs():
    return [torch.randn(2048)]


def get_init_inputs():
    return []
