"""stale weights: a product of weights is made again when the gate before it, which hides it, is another."""

import torch
import torch.nn as nn

TASK = "branch_behind_a_gate"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "stale_weights", "timed_output")


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Parameter(torch.randn(256, 512) / 16)
        self.down = nn.Parameter(torch.randn(512, 256) / 22)
        self.gate = nn.Parameter(torch.zeros(()))
        self.key = None

    def forward(self, x):
        key = float(self.gate)
        if key != self.key:
            self.key, self.product = key, self.up @ self.down
        return x + self.gate * torch.tanh(x @ self.product)
