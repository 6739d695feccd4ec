"""unfinished work: the negation is left to whoever reads the output."""

import torch
import torch.nn as nn

TASK = "negated_sum"
STATUS = "REJECTED"
FINDING = "output_plain"


class ModelNew(nn.Module):
    def forward(self, x, y):
        return torch._neg_view(x + y)
