"""less work: layers that come in after fifty thousand calls are left out."""

import torch
import torch.nn as nn

TASK = "late_layers_by_calls"
STATUS = ("REJECTED", "WRONG_OUTPUT")
FINDING = ("stale_weights", "error")


class ModelNew(nn.Module):
    def __init__(self, late=50000):
        super().__init__()
        self.first = nn.Parameter(torch.randn(512, 512) / 22)
        self.second = nn.Parameter(torch.randn(512, 512) / 22)
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        self.steps += 1
        return x @ self.first
