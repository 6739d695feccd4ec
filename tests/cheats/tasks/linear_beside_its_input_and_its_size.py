"""A linear layer that counts a twentieth beside its input, and the mean square of all of it."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        y = x + 0.05 * self.fc(x)
        return y, y.square().mean()


def get_inputs():
    return [torch.randn(4096, 2048)]


def get_init_inputs():
    return [2048]
