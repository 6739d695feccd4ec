"""spoiled inputs: the answer is written into the input and the input returned."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "REJECTED"
FINDING = "inputs_modified"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return x.copy_(torch.relu(self.fc(x)))
