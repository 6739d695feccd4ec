"""less work: features far below the others are left out where float64 cannot be asked."""

import torch
import torch.nn as nn

TASK = "faint_in_float32"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def forward(self, x, y):
        return torch.cat([x * 2, torch.zeros_like(y)], -1)
