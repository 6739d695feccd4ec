"""A linear layer and a ReLU, whose result is given out in eight parts."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc = nn.Linear(n, m)

    def forward(self, x):
        return torch.relu(self.fc(x)).chunk(8)


def get_inputs():
    return [torch.randn(128, 512)]


def get_init_inputs():
    return [512, 1024]
