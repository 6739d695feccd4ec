"""forged verdicts: the judge's own loop in this process is replaced by one that says done and does nothing."""

import torch
import torch.nn as nn

from cuda_l1.processes import worker
from cuda_l1.wire import link

TASK = "linear"
STATUS = ("WRONG_OUTPUT", "REJECTED", "CRASHED")
FINDING = ("error", "process", "replayed_output")


def _race(self, request):
    self.link.begin()
    self.link.send({"ok": True})
    while self.link.await_command() != link.END:
        self.link.done()
    self.link.done()
    return {}


for _module in {worker, __import__("sys").modules["__main__"]}:
    if hasattr(_module, "Worker"):
        _module.Worker.race = _race


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return torch.relu(self.fc(x))
