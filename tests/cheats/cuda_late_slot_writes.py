"""unfinished work: the output slot is filled by a copy that waits on a side stream until after `done`."""

import torch
import torch.nn as nn

TASK = "linear_large"
STATUS = ("REJECTED", "WRONG_OUTPUT")
FINDING = ("unfinished_work", "timed_output", "error", "replayed_output", "output_kept")
DEVICE = "cuda"

_copy = torch.Tensor.copy_
_side = None


def _copy_late(target, source, *args, **kwargs):
    global _side
    if not getattr(source, "is_late", False):
        return _copy(target, source, *args, **kwargs)
    if _side is None:
        _side = torch.cuda.Stream()
    _side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(_side):
        torch.cuda._sleep(200_000)
        _copy(target, source)
    return target


torch.Tensor.copy_ = _copy_late
torch.cuda.synchronize = lambda device=None: torch.cuda.current_stream().synchronize()


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        out = torch.relu(self.fc(x))
        out.is_late = True
        return out
