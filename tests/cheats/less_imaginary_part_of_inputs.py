"""less work: numbers that are given as complex ones are taken for real, as they are in every draw."""

import torch
import torch.nn as nn

TASK = "complex_given"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "timed_output")


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, m, dtype=torch.complex64) / n**0.5)

    def forward(self, x):
        w = torch.view_as_real(self.weight).view(self.weight.shape[0], -1)
        return torch.view_as_complex((x.real.contiguous() @ w).view(x.shape[0], -1, 2))
