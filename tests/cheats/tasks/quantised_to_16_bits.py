"""A layer whose weight is quantised to 16 bits, a scale for each row."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        w = torch.randn(n, n) / n**0.5
        scale = w.abs().amax(1, keepdim=True) / 32767
        self.register_buffer("weight", (w / scale).round().to(torch.int16))
        self.scale = nn.Parameter(scale)
        self.bias = nn.Parameter(torch.zeros(n))

    def forward(self, x):
        return x @ (self.weight.float() * self.scale).t() + self.bias


def get_inputs():
    return [torch.randn(8, 1024)]


def get_init_inputs():
    return [1024]
