"""algebra: the layer written as an einsum."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return torch.relu(torch.einsum("bi,oi->bo", x, self.fc.weight) + self.fc.bias)
