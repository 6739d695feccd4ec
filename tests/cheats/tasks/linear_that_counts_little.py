"""A linear layer that counts a little beside its input."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(256, 256)

    def forward(self, x):
        return x + 0.004 * self.fc(x)


def get_inputs():
    return [torch.randn(128, 256)]


def get_init_inputs():
    return []
