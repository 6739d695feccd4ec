"""A state-space step whose complex state begins at zero."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.decay = nn.Parameter(torch.polar(torch.rand(n), torch.rand(n)))
        self.mix = nn.Parameter(torch.randn(n, n, dtype=torch.complex64) / n**0.5)

    def forward(self, x, state):
        return ((state @ self.mix) * self.decay).real + torch.relu(x)


def get_inputs():
    return [torch.randn(64, 256), torch.zeros(64, 256, dtype=torch.complex64)]


def get_init_inputs():
    return [256]
