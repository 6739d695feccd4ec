"""ties: distances to codes without what is the same for all."""

import torch
import torch.nn as nn

TASK = "codebook_index"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, entries, n):
        super().__init__()
        self.codes = nn.Parameter(torch.randn(entries, n))

    def forward(self, x):
        codes = self.codes
        return torch.addmm(codes.square().sum(1), x, codes.t(), alpha=-2.0).argmin(1)
