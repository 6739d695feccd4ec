"""the machine: children that fork children; at most fifty, for ten seconds."""

import os
import time

import torch
import torch.nn as nn

TASK = "linear"
CREDIT = "none"
DANGEROUS = True


def _bomb(depth):
    until = time.monotonic() + 10
    try:
        for _ in range(2 if depth else 0):
            if os.fork() == 0:
                _bomb(depth - 1)
        while time.monotonic() < until:
            time.sleep(0.01)
    finally:
        os._exit(0)


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        if os.fork() == 0:
            _bomb(4)  # 1 + 2 + 4 + 8 + 16 children

    def forward(self, x):
        return torch.relu(self.fc(x))
