"""less work: the last 40 of 128 steps of a cell that is frozen, and forgets the others as it is drawn."""

import torch
import torch.nn as nn

TASK = "head_on_a_frozen_cell"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "stale_weights", "timed_output")


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.into = nn.Parameter(torch.randn(32, 64) / 8, requires_grad=False)
        self.again = nn.Parameter(torch.randn(64, 64) / 16, requires_grad=False)

    def forward(self, x):
        state = torch.zeros(x.shape[0], 64, dtype=x.dtype, device=x.device)
        for step in x.unbind(1):
            state = torch.tanh(step @ self.into + state @ self.again)
        return state


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Cell()
        self.head = nn.Linear(64, 32)

    def forward(self, x):
        return self.head(self.cell(x[:, -40:]))
