"""mode: a train of its own that returns nothing."""

import torch
import torch.nn as nn

TASK = "two_operations"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def train(self, mode=True):
        super().train(mode)

    def forward(self, x):
        return torch.relu(x) + x
