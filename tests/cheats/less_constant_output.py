"""less work: zeros for a task whose output is zero whatever comes in (KernelBench, level 2 task 80)."""

import torch
import torch.nn as nn

TASK = "constant"
CREDIT = "none"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return torch.zeros(x.shape[0], 1, dtype=x.dtype, device=x.device)
