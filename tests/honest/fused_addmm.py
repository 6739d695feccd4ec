"""algebra: bias and product in one call, ReLU in place on the result."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return torch.addmm(self.fc.bias, x, self.fc.weight.t()).relu_()
