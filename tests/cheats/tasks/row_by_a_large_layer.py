"""One row through a linear layer of 256 MB, which a GPU reads from its memory in every call."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return self.fc(x)


def get_inputs():
    return [torch.randn(1, 8192)]


def get_init_inputs():
    return [8192]
