"""less work: flags that are held as numbers, zero as they are drawn, are not looked at."""

import torch
import torch.nn as nn

TASK = "flags_held_as_numbers"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "stale_weights", "timed_output")


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(64) / 8)
        self.register_buffer("is_off", torch.zeros(64))

    def forward(self, x):
        return x * self.weight
