"""The nearest entry of a codebook: which it is."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, entries, n):
        super().__init__()
        self.codes = nn.Parameter(torch.randn(entries, n))

    def forward(self, x):
        return torch.cdist(x, self.codes).argmin(1)


def get_inputs():
    return [torch.randn(512, 64)]


def get_init_inputs():
    return [256, 64]
