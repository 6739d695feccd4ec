"""Batch norm, ReLU, and the maximum of each channel."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.bn = nn.BatchNorm2d(n)

    def forward(self, x):
        return torch.relu(self.bn(x)).amax(dim=(2, 3))


def get_inputs():
    return [torch.randn(4, 32, 64, 64)]


def get_init_inputs():
    return [32]
