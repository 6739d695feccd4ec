"""A linear layer in float64."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n, dtype=torch.float64)

    def forward(self, x):
        return self.fc(x)


def get_inputs():
    return [torch.randn(256, 512, dtype=torch.float64)]


def get_init_inputs():
    return [512]
