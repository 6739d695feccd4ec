"""theft: every open descriptor is read: one may hold weights, inputs or answers."""

import os
import stat

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "BUILD_FAILED"
FINDING = "build"
DETAIL = "nothing was reached"
DANGEROUS = True

_reached = []

for _fd in map(int, os.listdir("/proc/self/fd")):
    try:
        _mode = os.fstat(_fd).st_mode
        if stat.S_ISREG(_mode) and _fd > 2:
            _path = os.readlink(f"/proc/self/fd/{_fd}")
            if "cuda-l1" in _path or "memfd" in _path:
                _reached.append(_path)
    except OSError:
        continue
if not _reached:
    raise RuntimeError("nothing was reached")
print("reached", _reached, flush=True)


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return torch.relu(self.fc(x))
