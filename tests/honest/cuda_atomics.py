"""nondeterminism: float atomics through index_add_, whose order differs between two runs."""

import torch
import torch.nn as nn

TASK = "reduction"
STATUS = "PASSED"
DEVICE = "cuda"


class ModelNew(nn.Module):
    def forward(self, x):
        rows = torch.arange(x.shape[0], device=x.device).repeat_interleave(x.shape[1])
        total = torch.zeros(x.shape[0], dtype=x.dtype, device=x.device)
        total.index_add_(0, rows, (x * x).reshape(-1))
        return torch.sqrt(total / x.shape[1])
