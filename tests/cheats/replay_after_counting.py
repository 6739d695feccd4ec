"""replay: calls are counted, and after the first dozen nothing is computed any more."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = ("REJECTED", "WRONG_OUTPUT")
FINDING = ("timed_output", "replayed_output", "stale_weights", "error")


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls <= 12:
            self.last = torch.relu(self.fc(x))
        return self.last.clone()
