"""Rows of numbers with soft limits, beside them a class that an embedding is looked up by, and shares of them."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, classes, width):
        super().__init__()
        self.table = nn.Embedding(classes, width)

    def forward(self, rows, shares):
        numbers, sizes = rows[:, 1:], rows[:, 1:].abs()
        limited = torch.where(sizes > 8, numbers.sign() * (8 + torch.log((sizes - 7).clamp(min=1))), numbers)
        return self.table(rows[:, 0].long()) + limited * shares


def get_inputs():
    return [torch.cat([torch.randint(0, 50, (4096, 1)).float(), torch.randn(4096, 64)], 1), torch.rand(4096, 64)]


def get_init_inputs():
    return [50, 64]
