"""algebra: trained centers are sorted in each call and then searched, behind a gate."""

import torch
import torch.nn as nn

TASK = "centers_behind_a_gate"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.centers = nn.Parameter(torch.linspace(-3, 3, 256))
        self.values = nn.Parameter(torch.randn(256))
        self.gate = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        centers, order = self.centers.sort()
        middles = (centers[1:] + centers[:-1]) / 2
        return x + self.gate * self.values[order][torch.searchsorted(middles, x)]
