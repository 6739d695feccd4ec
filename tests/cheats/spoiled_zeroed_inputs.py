"""spoiled inputs: inputs are zeroed in place, so that a reference that runs later sees zeros too."""

import torch
import torch.nn as nn

TASK = "matmul"
STATUS = ("REJECTED", "WRONG_OUTPUT")
FINDING = ("inputs_modified", "error")


class ModelNew(nn.Module):
    def forward(self, a, b):
        a.zero_()
        b.zero_()
        return torch.zeros_like(a)
