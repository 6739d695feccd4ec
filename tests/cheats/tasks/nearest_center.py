"""How far the nearest of trained centers is, which begin in order."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.centers = nn.Parameter(torch.linspace(-3, 3, n))

    def forward(self, x):
        return (x[:, None] - self.centers).abs().amin(-1)


def get_inputs():
    return [torch.randn(4096)]


def get_init_inputs():
    return [512]
