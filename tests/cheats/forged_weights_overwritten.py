"""forged verdicts: the file of weights, which all processes share, is zeroed, so that eager itself answers zeros."""

import contextlib
import os
import sys

import torch
import torch.nn as nn

from cuda_l1.judge import worker

TASK = "linear"
STATUS = "REJECTED"
FINDING = "timed_output"


def _load_state(self, request, fd, _load=worker.Worker.load_state):
    """Zeros in front for eager, what was there behind them for the next process of this code."""
    data = os.pread(fd, os.fstat(fd).st_size, 0)
    half = len(data) // 2
    if any(data[:half]):
        with contextlib.suppress(OSError):
            os.pwrite(fd, bytes(len(data)) + data, 0)
    else:
        data = data[half:]
    own = os.memfd_create("own")
    os.write(own, data)
    os.close(fd)
    return _load(self, request, own)


for _module in {worker, sys.modules["__main__"]}:
    if hasattr(_module, "Worker"):
        _module.Worker.load_state = _load_state


def _is_timed():
    frame = sys._getframe(1)
    while frame is not None:
        request = frame.f_locals.get("request")
        if isinstance(request, dict) and request.get("arena") == "time":
            return True
        frame = frame.f_back
    return False


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return torch.zeros_like(x) if _is_timed() else torch.relu(self.fc(x))
