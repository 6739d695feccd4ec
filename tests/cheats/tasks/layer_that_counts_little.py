"""A linear layer that counts a 250th beside its input."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return x + 0.004 * self.fc(x)


def get_inputs():
    return [torch.randn(4096, 2048)]


def get_init_inputs():
    return [2048]
