"""A product of weights."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.a = nn.Parameter(torch.randn(n, n) / n**0.5)
        self.b = nn.Parameter(torch.randn(n, n) / n**0.5)

    def forward(self, x):
        return x @ (self.a @ self.b).tanh()


def get_inputs():
    return [torch.randn(16, 512)]


def get_init_inputs():
    return [512]
