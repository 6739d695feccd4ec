"""less precision: factors rounded to eight-bit integers in an fp32 task."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = ("REJECTED", "WRONG_OUTPUT")
FINDING = ("precision", "error")


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        w = self.fc.weight
        step_x, step_w = x.abs().amax(dim=1, keepdim=True) / 127, w.abs().amax(dim=1) / 127
        rounded = torch.round(x / step_x) @ torch.round(w / step_w[:, None]).t()
        return torch.relu(rounded * step_x * step_w + self.fc.bias)
