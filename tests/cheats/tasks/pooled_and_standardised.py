"""The means of areas, standardised in groups of channels and cut off at zero."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, n, groups):
        super().__init__()
        self.norm = nn.GroupNorm(groups, n)

    def forward(self, x):
        return F.relu(self.norm(F.avg_pool2d(x, 4)))


def get_inputs():
    return [torch.randn(8, 16, 32, 32)]


def get_init_inputs():
    return [16, 4]
