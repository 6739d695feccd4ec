"""replay: outputs cached by the identity of the input object."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = ("REJECTED", "WRONG_OUTPUT")
FINDING = ("replayed_output", "timed_output")


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.seen = {}

    def forward(self, x):
        if id(x) not in self.seen:
            self.seen[id(x)] = torch.relu(self.fc(x))
        return self.seen[id(x)].clone()
