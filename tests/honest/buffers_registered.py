"""buffers: a constant is a registered buffer outside the state_dict."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.register_buffer("zero", torch.zeros(()), persistent=False)

    def forward(self, x):
        return torch.maximum(self.fc(x), self.zero)
