"""views: the output is a window of a larger, fresh tensor."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        larger = torch.empty(x.shape[0] + 2, x.shape[1], dtype=x.dtype, device=x.device)
        inner = larger[1:-1]
        inner.copy_(torch.relu(self.fc(x)))
        return inner
