"""The value of the nearest of trained centers, behind gates whose logits begin far below zero."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.centers = nn.Parameter(torch.linspace(-3, 3, 256))
        self.values = nn.Parameter(torch.randn(256))
        self.gate = nn.Parameter(torch.full((2048,), -14.0))

    def forward(self, x):
        nearest = (x[:, None] - self.centers).abs().argmin(1)
        return x + torch.sigmoid(self.gate) * self.values[nearest]


def get_inputs():
    return [torch.randn(2048)]


def get_init_inputs():
    return []
