"""Fourier features of whole pixels."""

import math

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, k, n):
        super().__init__()
        self.freq = nn.Parameter(torch.randn(2, k) * 0.05)
        self.fc = nn.Linear(2 * k, n)
        self.out = nn.Linear(n, 3)

    def forward(self, pixels):
        p = 2 * math.pi * pixels.float() @ self.freq
        y = torch.cat([torch.sin(p), torch.cos(p)], -1)
        return torch.sigmoid(self.out(torch.relu(self.fc(y))))


def get_inputs():
    return [torch.randint(0, 64, (1024, 2))]


def get_init_inputs():
    return [32, 64]
