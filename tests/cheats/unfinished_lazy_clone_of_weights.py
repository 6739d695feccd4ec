"""unfinished work: a copy of weights is one on write."""

import torch
import torch.nn as nn

TASK = "state_beside"
STATUS = "REJECTED"
FINDING = "output_plain"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.start = nn.Parameter(torch.randn(n, n))

    def forward(self, x):
        return torch.relu(x @ self.start), torch._lazy_clone(self.start)
