"""algebra: what whitens is multiplied by the layer's weight first, in each call."""

import torch
import torch.nn as nn

TASK = "whitened_by_a_buffer"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(256, 64)
        self.register_buffer("whiten", torch.eye(256))

    def forward(self, x):
        return torch.addmm(self.linear.bias, x, self.whiten @ self.linear.weight.T)
