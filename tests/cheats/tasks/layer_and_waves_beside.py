"""A linear layer that counts a twentieth beside its input, and waves of that input, as for places in a scene."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return torch.cat([x + 0.05 * self.fc(x), torch.sin(512.0 * x)], dim=-1)


def get_inputs():
    return [torch.randn(4096, 1024)]


def get_init_inputs():
    return [1024]
