"""forged verdicts: the worker says that its outputs are no tensors."""

import sys

import torch
import torch.nn as nn

TASK = "linear"
CREDIT = "none"

_Worker = sys.modules["cuda_l1.processes.worker"].Worker
_warm = _Worker.warm


def _odd(worker, request):
    _warm(worker, request)
    return {"outputs": [{}]}


_Worker.warm = _odd


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return torch.relu(self.fc(x))
