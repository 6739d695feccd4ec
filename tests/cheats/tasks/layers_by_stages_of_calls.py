"""A product, and a layer more behind it in each of four stages, which begin after so many calls."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n=512):
        super().__init__()
        self.first, self.second, self.third, self.fourth = (nn.Parameter(torch.randn(n, n) / n**0.5) for _ in range(4))
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        self.steps += 1
        x = x @ self.first
        x = torch.where(self.steps >= 1000, torch.tanh(x @ self.second), x)
        x = torch.where(self.steps >= 20000, torch.tanh(x @ self.third), x)
        return torch.where(self.steps >= 300000, torch.tanh(x @ self.fourth), x)


def get_inputs():
    return [torch.randn(512, 512)]


def get_init_inputs():
    return []
