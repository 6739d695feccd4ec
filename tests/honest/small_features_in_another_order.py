"""rounding: small features beside large ones, by products of parts whose sums are rounded otherwise."""

import torch
import torch.nn as nn

TASK = "scales"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def layer(self, x):
        parts = zip(x.split(32, 1), self.fc.weight.split(32, 1), strict=True)
        return torch.tanh(sum(a @ b.t() for a, b in parts) + self.fc.bias)

    def forward(self, x):
        large = x.flip(1).cumsum(1)[:, -1:] * 1e7
        return torch.cat([large, self.layer(self.layer(x))], 1)
