"""less work: the limits of a table of positions' biases, zero before training, are left out."""

import torch
import torch.nn as nn

TASK = "bias_table_not_clamped"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(n, n))

    def forward(self, x):
        return x + self.bias
