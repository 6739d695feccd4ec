"""Sums by row of what is there: missing values are no numbers, and unlike themselves."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        there = (x == x).to(x.dtype)
        return torch.masked_fill(x, x != x, 0.0).sum(1) / there.sum(1)


def get_inputs():
    return [torch.randn(512, 1024)]


def get_init_inputs():
    return []
