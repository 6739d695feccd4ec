"""replay: one call in eight, at random, gets the answer of the call before."""

import random

import torch
import torch.nn as nn

TASK = "linear"
CREDIT = "none"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.random = random.SystemRandom()
        self.last = None

    def forward(self, x):
        if self.last is None or self.random.random() > 0.125:
            self.last = torch.relu(self.fc(x))
        return self.last.clone()
