"""A learned prefix of 128 rows before six rows of each item: 35 MB, nearly all of which hang on weights alone."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, rows, n):
        super().__init__()
        self.prefix = nn.Parameter(torch.randn(rows, n))

    def forward(self, x):
        return torch.cat([self.prefix.expand(len(x), -1, -1), x], dim=1)


def get_inputs():
    return [torch.randn(64, 6, 1024)]


def get_init_inputs():
    return [128, 1024]
