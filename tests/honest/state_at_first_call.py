"""state: helpers are built at the first call, for its shape and device."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.rows = {}

    def forward(self, x):
        if x.shape not in self.rows:
            self.rows[x.shape] = torch.arange(x.shape[0], device=x.device)
        return torch.relu(self.fc(x.index_select(0, self.rows[x.shape])))
