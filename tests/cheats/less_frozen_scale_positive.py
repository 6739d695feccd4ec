"""less work: the scales of a frozen norm are taken for positive."""

import torch
import torch.nn as nn

TASK = "frozen_norm"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("weight", torch.ones(n, 1))
        self.register_buffer("bias", torch.zeros(n, 1))
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return self.fc(x.amax(-1) * self.weight[:, 0] + self.bias[:, 0])
