"""A symmetric adjacency matrix, normalised by the roots of its degrees."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a):
        root = a.sum(-1).rsqrt()
        return root[:, None] * a * root


def get_inputs():
    a = torch.rand(256, 256)
    return [(a + a.T) / 2]


def get_init_inputs():
    return []
