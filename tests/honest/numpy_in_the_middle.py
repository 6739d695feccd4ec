"""library: part of the work is done by numpy, where the device allows it."""

import numpy as np
import torch
import torch.nn as nn

TASK = "linear"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        y = self.fc(x)
        return torch.relu(y) if x.is_cuda else torch.from_numpy(np.maximum(y.numpy(), 0.0))
