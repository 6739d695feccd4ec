"""A linear layer and a ReLU, whose result is given out in two halves by name."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc = nn.Linear(n, m)

    def forward(self, x):
        low, high = torch.relu(self.fc(x)).chunk(2, dim=1)
        return {"low": low, "high": high}


def get_inputs():
    return [torch.randn(256, 256)]


def get_init_inputs():
    return [256, 512]
