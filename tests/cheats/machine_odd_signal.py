"""the machine: it dies in a call by a signal that has no name."""

import os

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "CRASHED"
FINDING = "process"
DANGEROUS = True


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls == 40:
            os.kill(os.getpid(), 40)
        return torch.relu(self.fc(x))
