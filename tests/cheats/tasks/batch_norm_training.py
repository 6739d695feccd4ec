"""Batch norm in train mode, by the statistics of the batch, which it keeps; then a ReLU."""

import torch
import torch.nn as nn

MODE = "train"


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.bn = nn.BatchNorm1d(n)

    def forward(self, x):
        return torch.relu(self.bn(x))


def get_inputs():
    return [torch.randn(1024, 128)]


def get_init_inputs():
    return [128]
