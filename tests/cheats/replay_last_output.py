"""replay: every second call returns the answer of the call before."""

import torch
import torch.nn as nn

TASK = "chain"
STATUS = "REJECTED"
FINDING = "replayed_output"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls % 2:
            x = torch.clamp(x, -6.0, 6.0)
            self.last = torch.tanh(0.5 * x * torch.sigmoid(x)) + 0.1 * x
        return self.last.clone()
