"""A layer, and mish of mish of it."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return nn.functional.mish(nn.functional.mish(self.fc(x)))


def get_inputs():
    return [torch.rand(32, 256)]


def get_init_inputs():
    return [256]
