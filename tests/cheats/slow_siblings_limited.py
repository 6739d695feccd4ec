"""slowing the reference: the other workers of the judge get a limit on their processor time, and die of it."""

import os
import resource

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "BUILD_FAILED"
FINDING = "build"
DETAIL = "nothing was reached"
DANGEROUS = True

_reached = []
for _name in filter(str.isdigit, os.listdir("/proc")):
    try:
        with open(f"/proc/{_name}/stat") as _file:
            _parent = int(_file.read().rpartition(")")[2].split()[1])
        if _parent == os.getppid() and int(_name) != os.getpid():
            _soft, _hard = resource.prlimit(int(_name), resource.RLIMIT_NOFILE)
            resource.prlimit(int(_name), resource.RLIMIT_NOFILE, (_soft, _hard))
            _reached.append(_name)
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
