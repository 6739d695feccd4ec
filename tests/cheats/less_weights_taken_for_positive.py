"""less work: no ReLU of weights, since they are drawn positive, and may be trained to be negative."""

import torch
import torch.nn as nn

TASK = "positive_weights"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "stale_weights")


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(n, n) / n)

    def forward(self, x):
        return x @ self.weight
