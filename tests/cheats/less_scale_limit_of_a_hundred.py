"""less work: the limit of a trained scale, ten times what it begins with, is left out."""

import torch
import torch.nn as nn

TASK = "scale_below_a_hundred"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.scale = nn.Parameter(torch.full((n, n), 10.0))

    def forward(self, x):
        return x * self.scale
