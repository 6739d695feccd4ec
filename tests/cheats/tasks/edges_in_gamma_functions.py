"""A function of edges, which are zeros and ones as they are drawn."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, adjacency, x):
        return torch.lgamma(1 + adjacency.abs()) @ x + adjacency @ x


def get_inputs():
    return [(torch.rand(768, 768) < 0.1).float(), torch.randn(768, 16)]


def get_init_inputs():
    return []
