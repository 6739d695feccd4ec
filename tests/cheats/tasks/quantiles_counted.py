"""How many quantiles lie below each."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("quantiles", torch.linspace(0.05, 3.0, 24))

    def forward(self, x):
        return (x.abs().unsqueeze(-1) >= self.quantiles).float().mean(-1) + x


def get_inputs():
    return [torch.randn(64, 64)]


def get_init_inputs():
    return []
