"""Two products that take a GPU more than five milliseconds, so that a turn of a race has one call."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.one = nn.Linear(n, n)
        self.two = nn.Linear(n, n)

    def forward(self, x):
        return self.two(torch.relu(self.one(x)))


def get_inputs():
    return [torch.randn(4096, 4608)]


def get_init_inputs():
    return [4608]
