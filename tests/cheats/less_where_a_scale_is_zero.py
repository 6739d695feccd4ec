"""less work: what is where a trained scale is zero is left out."""

import torch
import torch.nn as nn

TASK = "scale_or_half"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(n, n))

    def forward(self, x):
        return x * self.scale
