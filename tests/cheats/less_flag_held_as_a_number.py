"""less work: a flag that is held as a number, one as it is drawn, is not looked at."""

import torch
import torch.nn as nn

TASK = "flag_held_as_a_number"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "stale_weights", "timed_output")


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(64) / 8)
        self.register_buffer("is_fitted", torch.ones(1))

    def forward(self, x):
        return x * self.weight
