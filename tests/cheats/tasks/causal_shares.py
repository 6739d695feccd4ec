"""A layer, and twice the same causal shares, which must be such."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.P = nn.Parameter(torch.randn(n, n).exp().tril())
        self.P.data /= self.P.data.sum(-1, keepdim=True)
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        if not ((self.P.sum(-1) - 1).abs() < 1e-4).all() or self.P.triu(1).any():
            raise ValueError("no causal shares")
        return self.fc(x) @ (self.P @ self.P)


def get_inputs():
    return [torch.randn(16, 256)]


def get_init_inputs():
    return [256]
