"""Scores less what hangs on the distance to the last place."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, steps, n):
        super().__init__()
        self.table = nn.Embedding(steps, n)

    def forward(self, x, distance):
        return x + self.table(distance).mean(1)


def get_inputs():
    return [torch.randn(16, 256), torch.arange(127, -1, -1).repeat(16, 1)]


def get_init_inputs():
    return [128, 256]
