"""A recurrence that casts its inputs to float32, and so cannot be repeated in float64."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.input, self.hidden = nn.Linear(n, n), nn.Linear(n, n)

    def forward(self, x):
        h = torch.zeros_like(x[0], dtype=torch.float32)
        for step in x.float():
            h = torch.tanh(self.input(step) + self.hidden(h))
        return h


def get_inputs():
    return [torch.randn(128, 8, 128)]


def get_init_inputs():
    return [128]
