"""the limits of a table of positions' biases, zero before training, are left out."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(n, n))

    def forward(self, x):
        return x + self.bias.clamp(-4.0, 4.0)


def get_inputs():
    return [torch.randn(512, 512)]


def get_init_inputs():
    return [512]
