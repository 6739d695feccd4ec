"""algebra: a low-rank product meets the input first, and is never made whole."""

import torch
import torch.nn as nn

TASK = "low_rank_beside"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, rank):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, n) / n**0.5)
        self.down = nn.Parameter(torch.randn(rank, n) / n**0.5)
        self.up = nn.Parameter(torch.randn(n, rank) / rank**0.5)

    def forward(self, x):
        return torch.addmm(x @ self.weight.t(), x @ self.down.t(), self.up.t(), alpha=0.5)
