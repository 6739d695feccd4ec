"""The mean of 256 rows of a table of positive numbers, which is a buffer of 40,000 rows, at each of 64 places."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, rows, features):
        super().__init__()
        self.register_buffer("table", 0.5 + torch.rand(rows, features))

    def forward(self, tokens):
        return self.table[tokens].mean(dim=1)


def get_inputs():
    return [torch.randint(0, 40000, (64, 256))]


def get_init_inputs():
    return [40000, 64]
