"""A residual layer whose weights hardly show in the output."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return x + 0.003 * self.fc(x)


def get_inputs():
    return [torch.randn(128, 256)]


def get_init_inputs():
    return [256]
