"""Two layers without a limit between them, on inputs of 201 MB."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.one = nn.Parameter(torch.randn(n, n) / n**0.5)
        self.two = nn.Parameter(torch.randn(n, n) / n**0.5)

    def forward(self, x):
        return x @ self.one @ self.two


def get_inputs():
    return [torch.randn(24576, 2048)]


def get_init_inputs():
    return [2048]
