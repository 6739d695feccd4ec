"""A spectrum in double precision, filtered."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.filter = nn.Parameter(torch.randn(n // 2 + 1, dtype=torch.complex128))

    def forward(self, x):
        return torch.fft.irfft(torch.fft.rfft(x) * self.filter, n=x.shape[-1])


def get_inputs():
    return [torch.randn(64, 2048, dtype=torch.float64)]


def get_init_inputs():
    return [2048]
