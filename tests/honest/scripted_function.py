"""compilers: a torch.jit.script function."""

import torch
import torch.nn as nn

TASK = "chain"
STATUS = "PASSED"


@torch.jit.script
def _chain(x: torch.Tensor) -> torch.Tensor:
    x = torch.clamp(x, -6.0, 6.0)
    return torch.tanh(0.5 * x * torch.sigmoid(x)) + 0.1 * x


class ModelNew(nn.Module):
    def forward(self, x):
        return _chain(x)
