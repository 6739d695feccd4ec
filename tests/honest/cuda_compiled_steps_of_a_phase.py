"""compilers: eighty small steps by torch.compile, eight of them a graph that is called ten times."""

import torch
import torch.nn as nn

TASK = "steps_of_a_phase"
STATUS = "PASSED"
DEVICE = "cuda"


def _eight(x, y):
    for _ in range(8):
        y = y + 0.04 * torch.sin(x + y)
    return y


class ModelNew(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.steps = steps
        self.eight = None

    def forward(self, x):
        if self.eight is None:
            self.eight = torch.compile(_eight)
        x = torch.tanh(x)
        y = x
        for _ in range(self.steps // 8):
            y = self.eight(x, y)
        return y
