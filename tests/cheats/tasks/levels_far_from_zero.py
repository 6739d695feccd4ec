"""The variance of each row of levels, which are whole numbers far from zero."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.round(x).var(-1, unbiased=False)


def get_inputs():
    return [torch.randn(128, 100) * 4 + 60]


def get_init_inputs():
    return []
