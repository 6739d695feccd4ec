"""A blend of layers, by two masks of integers."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.a = nn.Linear(n, n)
        self.b = nn.Linear(n, n)
        self.c = nn.Linear(n, n)

    def forward(self, x, local_mask, global_mask):
        y = self.a(x) * local_mask[..., None] + self.b(x) * global_mask[..., None]
        return y + self.c(x) * (local_mask * global_mask)[..., None]


def get_inputs():
    m = torch.randint(0, 2, (8, 64))
    return [torch.randn(8, 64, 256), m, 1 - m]


def get_init_inputs():
    return [256]
