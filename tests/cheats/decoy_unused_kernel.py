"""decoys: a kernel is written and compiled, and the answer comes from the reference's own operations."""

import torch
import torch.nn as nn

TASK = "linear"
CREDIT = "none"


@torch.jit.script
def fused_linear_relu(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.clamp_min(torch.addmm(b, x, w.t()), 0.0)


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.kernel = fused_linear_relu

    def forward(self, x):
        return torch.relu(self.fc(x))
