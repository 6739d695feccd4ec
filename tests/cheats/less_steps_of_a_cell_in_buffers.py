"""less work: the last 40 of 128 steps of a cell whose weights are buffers, and which forgets as it is drawn."""

import torch
import torch.nn as nn

TASK = "cell_in_buffers"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "stale_weights", "timed_output")


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("into", torch.randn(32, 64) / 8)
        self.register_buffer("again", torch.randn(64, 64) / 16)

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
