"""A linear layer and a ReLU that count a tenth beside inputs of 402 MB: so large that few sets of them have room."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return x + 0.1 * torch.relu(self.fc(x))


def get_inputs():
    return [torch.randn(24576, 4096)]


def get_init_inputs():
    return [4096]
