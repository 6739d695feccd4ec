"""Readings beyond what a sensor can say are none, and those of each channel have a scale."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels, most):
        super().__init__()
        self.most = most
        self.scale = nn.Parameter(torch.rand(channels) + 0.5)

    def forward(self, x):
        x = x.masked_fill(x.abs() > self.most, 0.0)
        return x * self.scale


def get_inputs():
    return [torch.randn(256, 512)]


def get_init_inputs():
    return [512, 500.0]
