"""forged verdicts: the worker says that its output is a view of its input, with a step that no tensor can have."""

import sys

import torch.nn as nn

TASK = "mean_squares_of_rows"
CREDIT = "none"

_Worker = sys.modules["cuda_l1.processes.worker"].Worker
_warm = _Worker.warm


def _wide(worker, request):
    said = _warm(worker, request)
    for leaf in said["outputs"]:
        leaf[3] = [0, [1, 1 << 70]]
    return said


_Worker.warm = _wide


class ModelNew(nn.Module):
    def forward(self, x):
        return x.pow(2).mean(dim=1, keepdim=True)
