"""replay: outputs cached by the address of the input."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "REJECTED"
FINDING = "replayed_output"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.seen = {}

    def forward(self, x):
        if x.data_ptr() not in self.seen:
            self.seen[x.data_ptr()] = torch.relu(self.fc(x))
        return self.seen[x.data_ptr()].clone()
