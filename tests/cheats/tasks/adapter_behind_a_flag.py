"""An adapter that a flag turns on."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Parameter(torch.randn(256, 512) / 16)
        self.second = nn.Parameter(torch.randn(512, 256) / 22)
        self.register_buffer("is_adapted", torch.tensor(False))

    def forward(self, x):
        y = x.tanh()
        if self.is_adapted:
            y = y + x @ (self.first @ self.second)
        return y


def get_inputs():
    return [torch.randn(16, 256)]


def get_init_inputs():
    return []
