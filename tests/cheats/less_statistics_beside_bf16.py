"""less work: running statistics of a batch norm beside layers in 16 bits that move by a tenth less."""

import torch
import torch.nn as nn

TASK = "bf16_batch_norm"
STATUS = "WRONG_OUTPUT"
FINDING = "state"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc1, self.norm, self.fc2 = nn.Linear(n, n), nn.BatchNorm1d(n, momentum=0.09), nn.Linear(n, 1)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            h = torch.relu(self.norm(self.fc1(x).float()))
            y = self.fc2(h).float()
        return torch.sigmoid(y).mean()
