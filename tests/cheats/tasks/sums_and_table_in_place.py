"""Sums of inputs that are changed in place, and a table of 2 MB that hangs on weights alone."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, rows, columns):
        super().__init__()
        self.row = nn.Parameter(torch.randn(rows))
        self.column = nn.Parameter(torch.randn(columns))
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        table = torch.sigmoid(self.row[:, None] + self.column[None, :])
        return self.act(x).sum(dim=1), table


def get_inputs():
    return [torch.randn(256, 256)]


def get_init_inputs():
    return [512, 1024]
