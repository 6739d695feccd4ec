"""algebra: the maximum comes before the scale, or the minimum where that is negative."""

import torch
import torch.nn as nn

TASK = "scaled_maximum"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(n, 1) + 0.5)

    def forward(self, x):
        least, most = x.aminmax(dim=-1)
        scale = self.scale[:, 0]
        return torch.relu(torch.where(scale < 0, least, most) * scale)
