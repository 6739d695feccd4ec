"""Attention as a layer: the second of its outputs is None."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.attention = nn.MultiheadAttention(n, 4, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)


def get_inputs():
    return [torch.randn(4, 32, 64)]


def get_init_inputs():
    return [64]
