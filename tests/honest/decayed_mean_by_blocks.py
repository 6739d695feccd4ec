"""formula: a decayed sum by Horner's rule over blocks of 32 steps, with one table of weights within a block."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "decayed_mean"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.rate = nn.Parameter(torch.rand(n) + 0.5)

    def forward(self, x):
        rate = F.softplus(self.rate)
        age = torch.arange(31, -1, -1, device=x.device, dtype=x.dtype)
        within, faded = torch.exp(-age[:, None] * rate), torch.exp(-32 * rate)
        sums, ones = (x.unflatten(1, (-1, 32)) * within).sum(2), within.sum(0)
        total, weight = torch.zeros_like(x[:, 0]), torch.zeros_like(rate)
        for block in sums.unbind(1):
            total, weight = total * faded + block, weight * faded + ones
        return total / weight
