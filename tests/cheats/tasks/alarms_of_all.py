"""A small layer where any alarm is on, and a network where none is."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.some, self.rest = nn.Linear(n, n), nn.Sequential(nn.Linear(n, 8 * n), nn.ReLU(), nn.Linear(8 * n, n))

    def forward(self, x, alarms):
        return torch.where(alarms.any(), self.some(x), self.rest(x))


def get_inputs():
    return [torch.randn(32, 64), torch.rand(256) < 0.3]


def get_init_inputs():
    return [64]
