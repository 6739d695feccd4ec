"""algebra: distances by products, and those of pairs that are near by their differences."""

import torch
import torch.nn as nn

TASK = "near_centers"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(64, 8)
        self.centers = nn.Parameter(torch.randn(500, 64))
        self.values = nn.Parameter(torch.randn(500, 8))

    def forward(self, x):
        sizes = x.square().sum(1, keepdim=True) + self.centers.square().sum(1)
        far = torch.addmm(sizes, x, self.centers.t(), alpha=-2)
        item, center = (far < sizes / 16).nonzero(as_tuple=True)
        far[item, center] = (x[item] - self.centers[center]).square().sum(1)
        return self.linear(x) + torch.exp(far / -2) @ self.values
