"""A residual block whose body counts a twentieth, as in networks for super-resolution."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels, scale):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)
        self.scale = scale

    def forward(self, x):
        return x + self.scale * self.conv2(torch.relu(self.conv1(x)))


def get_inputs():
    return [torch.randn(4, 32, 32, 32)]


def get_init_inputs():
    return [32, 0.05]
