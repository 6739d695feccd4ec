"""words: an optional import in try and except, and an empty class with pass."""

import torch
import torch.nn as nn

try:
    import no_such_accelerator
except ImportError:
    no_such_accelerator = None

TASK = "linear"
STATUS = "PASSED"

_ZERO = 0.0 if no_such_accelerator is None else 0


class _Plan:
    pass


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return torch.clamp_min(self.fc(x), _ZERO)
