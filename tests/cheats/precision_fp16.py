"""less precision: fp16 factors in an fp32 task."""

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
        w, b = self.fc.weight.half(), self.fc.bias.half()
        return torch.relu(torch.nn.functional.linear(x.half(), w, b)).float()
