"""A prefix of no tokens before a linear layer."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.prefix = nn.Parameter(torch.zeros(1, 0, n))
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return self.fc(torch.cat([self.prefix.expand(len(x), -1, -1), x], 1))


def get_inputs():
    return [torch.randn(8, 32, 128)]


def get_init_inputs():
    return [128]
