"""Inputs times one trained gain, up to twenty."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.tensor(1.0))

    def forward(self, x):
        return x * self.gain.clamp(max=20)


def get_inputs():
    return [torch.randn(64, 64)]


def get_init_inputs():
    return []
