"""dtypes: the reference's own code, whose weights are kept conjugated."""

import torch
import torch.nn as nn

TASK = "conjugated_weight"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, n, dtype=torch.complex64).conj())

    def forward(self, x):
        return (x.to(self.weight.dtype) @ self.weight).real
