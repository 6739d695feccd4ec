"""state: the reference's own code, whose first call makes a buffer."""

import torch
import torch.nn as nn

TASK = "lazy_mask"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("hidden", torch.zeros(0, dtype=torch.bool))
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        if self.hidden.shape[:1] != x.shape[1:2]:
            self.hidden = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).triu(1)
        x = self.fc(x)
        return torch.softmax((x @ x.transpose(1, 2)).masked_fill(self.hidden, -torch.inf), -1) @ x
