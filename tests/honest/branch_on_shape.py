"""state: another way for large batches."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        large = x.shape[0] > 64
        return torch.addmm(self.fc.bias, x, self.fc.weight.t()).relu_() if large else torch.relu(self.fc(x))
