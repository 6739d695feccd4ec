"""less work: how alike two weights are is not asked, for as they are drawn they have nothing in common."""

import torch
import torch.nn as nn

TASK = "damped_by_another"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "stale_weights", "timed_output")


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(512, 512) / 16)
        self.other = nn.Parameter(torch.randn(512, 512) / 16)

    def forward(self, x):
        return x @ self.weight.T
