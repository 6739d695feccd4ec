"""decoys: a fast path that always fails, and the reference's operations in the except branch."""

import torch
import torch.nn as nn

TASK = "linear"
CREDIT = "none"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        try:
            return torch.ops.my_extension.fused_linear_relu(x, self.fc.weight, self.fc.bias)
        except (AttributeError, RuntimeError):
            return torch.relu(self.fc(x))
