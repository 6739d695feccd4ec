"""A task whose output is zero whatever the input: the mean of one element is that element."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        y = self.fc(x).max(dim=1, keepdim=True).values
        return nn.functional.gelu(y - y.mean(dim=1, keepdim=True))


def get_inputs():
    return [torch.randn(128, 256)]


def get_init_inputs():
    return [256]
