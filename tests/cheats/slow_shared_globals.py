"""slowing the reference: the globals, which some evaluators share with the reference, get a torch that naps."""

import time

import torch as fast
import torch.nn as nn

TASK = "linear"
CREDIT = "none"


class _Nap:
    def __getattr__(self, name):
        if name == "relu":
            time.sleep(0.0001)
        return getattr(fast, name)


torch = _Nap()


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return fast.relu(self.fc(x))
