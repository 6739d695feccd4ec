"""less work: no guard for zeros, in a task whose output is complex."""

import torch.nn as nn

TASK = "unit_phases"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "timed_output")


class ModelNew(nn.Module):
    def forward(self, z):
        return z / z.abs()
