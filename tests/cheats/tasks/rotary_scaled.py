"""Rotary embedding of scaled features: the angles are made in each call."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(n))

    def forward(self, x):
        n = x.shape[-1]
        rates = 100.0 ** (-torch.arange(0, n, 2, device=x.device) / n)
        angle = torch.outer(torch.arange(x.shape[1], device=x.device).float(), rates)
        cos, sin = angle.cos(), angle.sin()
        x = x * self.scale
        a, b = x[..., ::2], x[..., 1::2]
        return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)


def get_inputs():
    return [torch.randn(4, 256, 64)]


def get_init_inputs():
    return [64]
