"""spoiled state: a scale is folded into the weights in place, and who saves them saves them folded."""

import torch
import torch.nn as nn

TASK = "scaled_rows"
STATUS = "WRONG_OUTPUT"
FINDING = "state"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, n) / n**0.5)
        self.scale = nn.Parameter(torch.rand(n, 1) + 0.5)
        self.seen = None

    @torch.no_grad()
    def forward(self, x):
        if (self.weight._version, self.scale._version) != self.seen:
            raw = self.seen is None or self.weight._version != self.seen[0]
            self.weight.mul_(self.scale if raw else self.scale / self.was)
            self.was = self.scale.clone()
            self.seen = (self.weight._version, self.scale._version)
        return nn.functional.linear(x, self.weight)
