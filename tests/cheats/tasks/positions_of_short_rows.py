"""Corners with the embeddings of their places averaged in."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.table = nn.Embedding(4, n)

    def forward(self, x, corner):
        return x + self.table(corner)


def get_inputs():
    return [torch.randn(256, 4, 64), torch.arange(4).repeat(256, 1)]


def get_init_inputs():
    return [64]
