"""Causal attention by a mask in a buffer."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, heads, steps):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(n, 3 * n)
        self.out = nn.Linear(n, n)
        self.register_buffer("mask", torch.tril(torch.ones(steps, steps, dtype=torch.bool)))

    def forward(self, x):
        b, t, n = x.shape
        q, k, v = (y.view(b, t, self.heads, -1).transpose(1, 2) for y in self.qkv(x).chunk(3, -1))
        s = q @ k.transpose(-1, -2) / (n // self.heads) ** 0.5
        s = s.masked_fill(~self.mask[:t, :t], float("-inf"))
        y = s.softmax(-1) @ v
        return self.out(y.transpose(1, 2).reshape(b, t, n))


def get_inputs():
    return [torch.randn(4, 64, 64)]


def get_init_inputs():
    return [64, 4, 64]
