"""the machine: a file beyond any bound (sparse, so that it costs nothing where nobody stops it)."""

import os

import torch
import torch.nn as nn

TASK = "linear"
STATUS = ("CRASHED", "BUILD_FAILED")
FINDING = ("forward", "build", "process")
DANGEROUS = True


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        with open("bomb", "wb") as file:
            file.truncate(1 << 36)
        os.unlink("bomb")

    def forward(self, x):
        return torch.relu(self.fc(x))
