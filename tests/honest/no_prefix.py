"""as the reference: a parameter without elements is left out."""

import torch
import torch.nn as nn

TASK = "prefix_of_no_tokens"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.prefix = nn.Parameter(torch.zeros(1, 0, n))
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return self.fc(x)
