"""less precision: float32 factors in a task of float64."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "matmul_double"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n, dtype=torch.float64)

    def forward(self, x):
        return F.linear(x.float(), self.fc.weight.float(), self.fc.bias.float()).double()
