"""A linear layer that takes a GPU some 0.9 ms, and a ReLU of 45 us: calls too long to be probed."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc = nn.Linear(n, m)

    def forward(self, x):
        return torch.relu(self.fc(x))


def get_inputs():
    return [torch.randn(4096, 1536)]


def get_init_inputs():
    return [1536, 4096]
