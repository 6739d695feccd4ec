"""less work: complex weights are folded at the first call and never again."""

import torch
import torch.nn as nn

TASK = "complex_product"
STATUS = "REJECTED"
FINDING = "stale_weights"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.one = nn.Parameter(torch.randn(n, n, dtype=torch.cfloat) / n**0.5)
        self.two = nn.Parameter(torch.randn(n, n, dtype=torch.cfloat) / n**0.5)
        self.both = None

    def forward(self, x):
        if self.both is None:
            self.both = (self.one @ self.two).detach()
        return x @ self.both
