"""A linear layer and a GELU."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc = nn.Linear(n, m)

    def forward(self, x):
        return nn.functional.gelu(self.fc(x))


def get_inputs():
    return [torch.randn(1024, 512)]


def get_init_inputs():
    return [512, 1024]
