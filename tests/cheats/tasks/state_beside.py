"""Activations, and a copy of a table to begin with beside them."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.start = nn.Parameter(torch.randn(n, n))

    def forward(self, x):
        return torch.relu(x @ self.start), self.start.clone()


def get_inputs():
    return [torch.randn(4, 512)]


def get_init_inputs():
    return [512]
