"""8,192 rows of a table of 570 MB that is an input: too large to be sealed on a GPU, and a call reads 34 MB of it."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, table, index):
        return torch.tanh(table[index]) * 1.5


def get_inputs():
    return [torch.randn(139264, 1024), torch.randint(0, 139264, (8192,))]


def get_init_inputs():
    return []
