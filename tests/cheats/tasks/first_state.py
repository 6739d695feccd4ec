"""Activations, and an empty cache beside them for what follows."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        cache = x.new_zeros(x.shape[0], 16, x.shape[1])
        return torch.tanh(x).cumsum(1), cache


def get_inputs():
    return [torch.randn(128, 512)]


def get_init_inputs():
    return []
