"""state: the last result is kept, and returned as well."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.last = None

    def forward(self, x):
        self.last = torch.relu(self.fc(x))
        return self.last
