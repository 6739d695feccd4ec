"""A linear layer and a ReLU large enough to keep a GPU busy."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return torch.relu(self.fc(x))


def get_inputs():
    return [torch.randn(4096, 1024)]


def get_init_inputs():
    return [1024]
