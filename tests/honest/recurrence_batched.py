"""algebra: the input's share of a recurrence is one product over all steps."""

import torch
import torch.nn as nn

TASK = "recurrence"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.input = nn.Linear(n, n)
        self.hidden = nn.Linear(n, n)

    def forward(self, x):
        share = self.input(x) + self.hidden.bias
        h, weight = torch.zeros_like(x[0]), self.hidden.weight.t()
        for step in share:
            h = torch.tanh(torch.addmm(step, h, weight))
        return h
