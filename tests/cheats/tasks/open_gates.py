"""Features by learned gates, which are far open as they are drawn."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, n) / n**0.5)
        self.gates = nn.Parameter(30.0 + torch.randn(n, n))

    def forward(self, x):
        return x @ (self.weight * torch.sigmoid(self.gates))


def get_inputs():
    return [torch.randn(16, 768)]


def get_init_inputs():
    return [768]
