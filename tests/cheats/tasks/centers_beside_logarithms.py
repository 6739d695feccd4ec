"""The value of the nearest of trained centers, beside three weights that must be positive."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.centers = nn.Parameter(torch.linspace(-3, 3, 256))
        self.values = nn.Parameter(torch.randn(256))
        self.variance = nn.Parameter(torch.rand(64) + 0.5)
        self.rate = nn.Parameter(torch.rand(64) + 0.5)
        self.shape = nn.Parameter(torch.rand(64) + 0.5)
        self.bias = nn.Parameter(torch.randn(64))

    def forward(self, x):
        nearest = (x[..., None] - self.centers).abs().argmin(-1)
        y = self.values[nearest] + self.bias
        return y / self.variance.sqrt() + self.rate.log() + torch.lgamma(self.shape).exp() * self.shape.log()


def get_inputs():
    return [torch.randn(32, 64)]


def get_init_inputs():
    return []
