"""Its input times each of two weights."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(2, 1))

    def forward(self, x):
        return x[:, None] * self.scale


def get_inputs():
    return [torch.randn(256, 1024)]


def get_init_inputs():
    return []
