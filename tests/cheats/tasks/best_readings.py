"""The best readings of each row, and their mean without those that are missing."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x):
        missing = torch.isnan(x)
        y = x.masked_fill(missing, float("-inf"))
        best = y.topk(self.k, dim=-1)
        total = x.masked_fill(missing, 0).sum(-1) / (~missing).sum(-1).clamp(min=1)
        return best.values, best.indices, total


def get_inputs():
    return [torch.randn(256, 512)]


def get_init_inputs():
    return [8]
