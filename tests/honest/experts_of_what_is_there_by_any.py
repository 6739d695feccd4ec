"""formula: padding is told by any number that is not zero."""

import torch
import torch.nn as nn

TASK = "experts_of_what_is_there"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, experts):
        super().__init__()
        self.gate = nn.Linear(n, experts)

    def forward(self, x):
        scores, which = torch.topk(self.gate(x).softmax(-1), 2)
        there = (x != 0).any(-1, keepdim=True)
        return scores * there, torch.where(there, which, -1)
