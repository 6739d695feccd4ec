"""Weighted means of ragged rows, none above a length."""

import math

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.max_len = n
        self.w = nn.Parameter(torch.randn(8))

    def forward(self, x, lengths):
        rows = x.split(lengths.tolist())
        out = [((p @ self.w).softmax(0)[:, None] * p).sum(0) * math.log(self.max_len) for p in rows]
        return torch.stack(out)


def get_inputs():
    return [torch.randn(96, 8), torch.full((6,), 16)]


def get_init_inputs():
    return [24]
