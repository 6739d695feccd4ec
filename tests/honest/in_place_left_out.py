"""in place: a fresh tensor where the reference works in place."""

import torch.nn as nn

TASK = "in_place"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x):
        return x + x
