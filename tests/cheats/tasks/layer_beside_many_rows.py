"""A linear layer that counts a twentieth beside its input, on 131,072 rows, of which nothing is summed."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return x + 0.05 * self.fc(x)


def get_inputs():
    return [torch.randn(131072, 512)]


def get_init_inputs():
    return [512]
