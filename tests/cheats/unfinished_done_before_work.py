"""unfinished work: the worker's `done` is patched to speak first, and the output slot is written afterwards."""

import torch
import torch.nn as nn

from cuda_l1.wire import link

TASK = "linear"
STATUS = "REJECTED"
FINDING = ("unfinished_work", "timed_output")

_copy, _done = torch.Tensor.copy_, link.Link.done
_pending = []


def _copy_late(target, source, *args, **kwargs):
    if hasattr(source, "work"):
        _pending.append((target, source.work))
        return target
    return _copy(target, source, *args, **kwargs)


def _done_first(self, ok=True):
    _done(self, ok)
    while _pending:
        target, work = _pending.pop()
        _copy(target, work())


torch.Tensor.copy_, link.Link.done = _copy_late, _done_first


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        out = torch.empty_like(x)
        out.work = lambda: torch.relu(self.fc(x))
        return out
