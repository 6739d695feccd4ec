"""less work: weights are not clipped, which as they are drawn changes none."""

import torch
import torch.nn as nn

TASK = "clipped_weights"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "stale_weights")


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, n) * 0.05)

    def forward(self, x):
        return x @ self.weight
