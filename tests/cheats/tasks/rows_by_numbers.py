"""Rows of a table, each chosen by a number between zero and one: others lead beyond it."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(64, 32))

    def forward(self, x):
        return self.table.index_select(0, (x * 64).long()).tanh()


def get_inputs():
    return [torch.rand(512)]


def get_init_inputs():
    return []
