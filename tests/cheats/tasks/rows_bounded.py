"""Rows of a large input, each by itself."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        total = torch.tanh(x)
        return total / (1 + total.abs().amax(-1, keepdim=True))


def get_inputs():
    return [torch.randn(4096, 1024)]


def get_init_inputs():
    return []
