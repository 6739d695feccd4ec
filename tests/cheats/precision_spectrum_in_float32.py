"""less precision: a spectrum in single precision in a task of float64."""

import torch
import torch.nn as nn

TASK = "spectrum_double"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.filter = nn.Parameter(torch.randn(n // 2 + 1, dtype=torch.complex128))

    def forward(self, x):
        return torch.fft.irfft(torch.fft.rfft(x.float()) * self.filter.to(torch.complex64), n=x.shape[-1]).double()
