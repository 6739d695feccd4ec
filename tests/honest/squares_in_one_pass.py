"""algebra: weights divided by one and a root of squares that are kept, by one quotient."""

import torch
import torch.nn as nn

TASK = "squares_that_begin_at_zero"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("squares", torch.zeros(256, 256))
        self.weight = nn.Parameter(torch.randn(256, 256) / 16)

    def forward(self, x):
        return x @ (self.weight / self.squares.sqrt().add_(1))
