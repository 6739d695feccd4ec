"""A linear layer that counts a twentieth beside its input, which it is given in another unit."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n, bias=False)

    def forward(self, x):
        return x + 5000.0 * self.fc(1e-5 * x)


def get_inputs():
    return [torch.randn(4096, 1024)]


def get_init_inputs():
    return [1024]
