"""less work: only half of the batch is computed."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        y = torch.relu(self.fc(x[: x.shape[0] // 2]))
        return torch.cat([y, y])
