"""A table that hangs on weights alone, beside features and the weights themselves."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, steps):
        super().__init__()
        self.rates = nn.Parameter(torch.rand(n) + 0.1)
        self.register_buffer("steps", torch.arange(steps) / steps)

    def forward(self, x):
        table = torch.sin(torch.outer(self.steps, self.rates))
        return x * table, table, self.rates


def get_inputs():
    return [torch.randn(512, 512)]


def get_init_inputs():
    return [512, 512]
