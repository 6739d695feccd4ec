"""Queries, keys and values, by a linear layer each."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.query, self.key, self.value = nn.Linear(n, n), nn.Linear(n, n), nn.Linear(n, n)

    def forward(self, x):
        return self.query(x), self.key(x), self.value(x)


def get_inputs():
    return [torch.randn(256, 256)]


def get_init_inputs():
    return [256]
