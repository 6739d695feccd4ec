"""Samples less the logarithms of a grid that each has a copy of."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, grid):
        return x / torch.log1p(grid) + torch.log(grid)


def get_inputs():
    grid = torch.rand(1, 64, 64) + 0.5
    return [torch.randn(64, 64, 64), grid.repeat(64, 1, 1)]


def get_init_inputs():
    return []
