"""state: the number of threads is asked for and set to what it was."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        torch.set_num_threads(torch.get_num_threads())

    def forward(self, x):
        return torch.relu(self.fc(x))
