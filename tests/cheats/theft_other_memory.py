"""theft: memory, descriptors and maps of other processes are read through /proc."""

import os

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "BUILD_FAILED"
FINDING = "build"
DETAIL = "nothing was reached"
DANGEROUS = True

_reached = []

for _pid in filter(str.isdigit, os.listdir("/proc")):
    if int(_pid) == os.getpid():
        continue
    for _name in ("mem", "environ", "maps", "fd", "cwd"):
        try:
            if _name == "fd":
                _reached += [f"{_pid}/{fd}" for fd in os.listdir(f"/proc/{_pid}/fd")]
            elif _name == "cwd":
                _reached.append(os.readlink(f"/proc/{_pid}/cwd"))
            else:
                with open(f"/proc/{_pid}/{_name}", "rb") as _file:
                    _reached.append((_pid, _name, len(_file.read(1)) if _name != "mem" else 0))
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
