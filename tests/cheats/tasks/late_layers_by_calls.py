"""A product, and two more layers behind it once the module has been called fifty thousand times."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, late=50000):
        super().__init__()
        self.first = nn.Parameter(torch.randn(512, 512) / 22)
        self.second = nn.Parameter(torch.randn(512, 512) / 22)
        self.late = late
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        self.steps += 1
        early = x @ self.first
        late = torch.tanh(torch.tanh(early @ self.second) @ self.second)
        return torch.where(self.steps >= self.late, late, early)


def get_inputs():
    return [torch.randn(512, 512)]


def get_init_inputs():
    return []
