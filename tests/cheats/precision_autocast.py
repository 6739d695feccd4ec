"""less precision: autocast in an fp32 task, and the result cast back."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "REJECTED"
FINDING = "precision"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        with torch.autocast(x.device.type, dtype=torch.bfloat16):
            return torch.relu(self.fc(x)).float()
