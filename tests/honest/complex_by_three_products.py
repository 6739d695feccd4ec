"""algebra: complex products by three real ones in place of four, as libraries have it under the name 3M."""

import torch
import torch.nn as nn

TASK = "complex_given"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, m, dtype=torch.complex64) / n**0.5)

    def forward(self, x):
        a, b, c, d = x.real, x.imag, self.weight.real, self.weight.imag
        ac, bd = a @ c, b @ d
        return torch.complex(ac - bd, (a + b) @ (c + d) - ac - bd)
