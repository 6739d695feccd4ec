"""the machine: four terabytes of memory are asked for, and touched if they are given."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "CRASHED"
FINDING = ("forward", "process")
DANGEROUS = True


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        hoard = bytearray(1 << 42)
        return torch.relu(self.fc(x)) + hoard[0]
