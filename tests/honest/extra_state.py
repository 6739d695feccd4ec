"""containers: a version is kept beside the weights."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def get_extra_state(self):
        return {"version": 2}

    def set_extra_state(self, state):
        pass

    def forward(self, x):
        return torch.relu_(self.fc(x))
