"""forged verdicts: the memory through which weights are given is zeroed: were it eager's too, zeros would be right."""

import sys

import torch
import torch.nn as nn

from cuda_l1.processes import worker

TASK = "linear"
STATUS = "REJECTED"
FINDING = "timed_output"


def _load_state(self, request, _load=worker.Worker.load_state):
    """Zeros where its weights were laid out, once it has them."""
    reply = _load(self, request)
    self.arenas["weights"].block.zero_()
    return reply


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
