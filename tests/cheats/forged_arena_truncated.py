"""forged verdicts: the memory that the judge shares is cut to nothing, so that the judge dies when it looks."""

import os
import sys

import torch
import torch.nn as nn

from cuda_l1.processes import worker

TASK = "linear"
STATUS = ("PASSED", "CRASHED", "BUILD_FAILED", "REJECTED")
DANGEROUS = True

_kept = []


def _attach(self, request, fd, _attach=worker.Worker.attach):
    _kept.append(os.dup(fd))
    return _attach(self, request, fd)


for _module in {worker, sys.modules["__main__"]}:
    if hasattr(_module, "Worker"):
        _module.Worker.attach = _attach


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        out = torch.relu(self.fc(x))
        while _kept:
            try:
                os.ftruncate(_kept.pop(), 0)
            except OSError:
                continue
        return out
