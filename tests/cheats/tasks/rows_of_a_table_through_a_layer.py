"""A layer on 2,048 rows of a table of 184 MB that is an input: some 0.1 ms, of which a turn of a race has two calls."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, table, index):
        return torch.relu(self.fc(table[index]))


def get_inputs():
    return [torch.randn(45056, 1024), torch.randint(0, 45056, (2048,))]


def get_init_inputs():
    return [1024]
