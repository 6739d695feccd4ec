"""counts: a layer's active units are counted after sums in two halves: the other order flips one of 262,144."""

import torch
import torch.nn as nn

TASK = "units_counted"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc = nn.Linear(n, m)

    def forward(self, x):
        half, weight = x.shape[1] // 2, self.fc.weight
        first = torch.addmm(self.fc.bias, x[:, :half], weight[:, :half].t())
        return (torch.addmm(first, x[:, half:], weight[:, half:].t()) > 0).sum()
