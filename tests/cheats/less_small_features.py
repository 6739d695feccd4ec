"""less work: what is ten million times smaller than its neighbour is left out."""

import torch
import torch.nn as nn

TASK = "scales"
STATUS = "WRONG_OUTPUT"
FINDING = "error"
DETAIL = "of its own norm"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return torch.cat([x.sum(1, keepdim=True) * 1e7, torch.zeros_like(x)], 1)
