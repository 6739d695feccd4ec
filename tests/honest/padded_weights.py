"""caches: weights padded to a round size, made anew when they change in place."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.padded = None

    def forward(self, x):
        weight, bias = self.fc.weight, self.fc.bias
        versions = (weight._version, bias._version)
        if self.padded is None or versions != self.padded[0]:
            rows = torch.cat([weight, weight.new_zeros(8, weight.shape[1])]).t()
            self.padded = (versions, rows, torch.cat([bias, bias.new_zeros(8)]))
        return torch.relu(torch.addmm(self.padded[2], x, self.padded[1]))[:, : weight.shape[0]]
