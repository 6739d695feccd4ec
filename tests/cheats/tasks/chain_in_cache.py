"""A chain of pointwise operations whose steps, of 16 MB, find each other in a GPU's second-level cache."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        for _ in range(4):
            x = torch.tanh(x) * 1.5 + 0.25
        return x


def get_inputs():
    return [torch.randn(2048, 2048)]


def get_init_inputs():
    return []
