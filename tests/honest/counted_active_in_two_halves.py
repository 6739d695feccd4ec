"""counts: how many units are active, by a product in two halves, whose sums are rounded otherwise."""

import torch
import torch.nn as nn

TASK = "how_many_active"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc = nn.Linear(n, m)

    def forward(self, x):
        half, weight = x.shape[1] // 2, self.fc.weight
        first = torch.addmm(self.fc.bias, x[:, :half], weight[:, :half].t())
        both = torch.addmm(first, x[:, half:], weight[:, half:].t())
        return torch.count_nonzero(both > 0)
