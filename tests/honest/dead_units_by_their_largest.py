"""algebra: which units are dead by the largest that each gives, and one product counts for how long."""

import torch
import torch.nn as nn

TASK = "units_that_are_dead"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(256, 256)
        self.register_buffer("dead", torch.zeros(256, dtype=torch.int32))

    def forward(self, x):
        y = self.linear(x).relu_()
        self.dead.add_(1).mul_(y.amax(0) == 0)
        return y
