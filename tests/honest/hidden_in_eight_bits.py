"""rounding: a hidden layer in eight bits by a product with one over the scale, which comes after the next layer."""

import torch.nn as nn

TASK = "quantised_hidden"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, h, m):
        super().__init__()
        self.up = nn.Linear(n, h)
        self.down = nn.Linear(h, m)

    def forward(self, x):
        h = self.up(x).relu_()
        top = h.amax(-1, keepdim=True).clamp(min=1e-8)
        q = h.mul_(127 / top).round_()
        return (q @ self.down.weight.t()).mul_(top / 127).add_(self.down.bias)
