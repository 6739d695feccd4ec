"""A layer on 1,536 rows of a table of 126 MB that is an input: some 80 us, of which a turn of a race has four calls."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, table, index):
        return torch.relu(self.fc(table[index]))


def get_inputs():
    return [torch.randn(30720, 1024), torch.randint(0, 30720, (1536,))]


def get_init_inputs():
    return [1024]
