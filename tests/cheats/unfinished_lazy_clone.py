"""unfinished work: a copy is one on write."""

import torch
import torch.nn as nn

TASK = "kept_beside"
STATUS = "REJECTED"
FINDING = "output_plain"


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.relu(x)
        return y, torch._lazy_clone(y)
