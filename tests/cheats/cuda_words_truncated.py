"""forged verdicts: the page that judge and worker share is cut to nothing, so that the judge dies when it looks."""

import os
import sys

import torch
import torch.nn as nn

TASK = "linear"
STATUS = ("PASSED", "CRASHED", "BUILD_FAILED", "REJECTED")
DEVICE = "cuda"
DANGEROUS = True

try:
    os.ftruncate(int(sys.argv[2]), 0)
except (OSError, ValueError, IndexError):
    print("refused")


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return torch.relu(self.fc(x))
