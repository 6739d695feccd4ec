"""A product with weights that are kept conjugated."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, n, dtype=torch.complex64).conj())

    def forward(self, x):
        return (x.to(self.weight.dtype) @ self.weight).real


def get_inputs():
    return [torch.randn(64, 256)]


def get_init_inputs():
    return [256]
