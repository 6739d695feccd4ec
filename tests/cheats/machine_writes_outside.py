"""the machine: files are written outside the scratch folder, caches of later runs among them."""

import os
import site
import sys
import tempfile

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "BUILD_FAILED"
FINDING = "build"
DETAIL = "nothing was reached"
DANGEROUS = True

_reached = []

_home = os.path.expanduser("~root")
_folders = (
    "/tmp", "/var/tmp", "/dev/shm", "/", "/etc", _home, f"{_home}/.cache", f"{_home}/.cache/cuda-l1/compiled", "..",
    os.path.dirname(torch.__file__ if "torch" in globals() else sys.prefix), *site.getsitepackages(), sys.prefix,
    os.path.dirname(tempfile.gettempdir()) + "/..",
)  # fmt: skip
for _folder in _folders:
    _path = os.path.join(_folder, "cuda-l1-left-here")
    try:
        with open(_path, "w") as _file:
            _file.write("x")
        os.unlink(_path)
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
