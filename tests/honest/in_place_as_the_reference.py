"""in place: the inputs are changed, and returned, as the reference does."""

import torch.nn as nn

TASK = "in_place"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x):
        return x.add_(x)
