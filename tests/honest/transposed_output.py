"""views: the product is computed the other way round, and the output is its transpose."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return torch.relu(self.fc.weight @ x.t() + self.fc.bias[:, None]).t()
