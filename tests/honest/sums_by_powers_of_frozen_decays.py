"""algebra: running sums with frozen decays, some of which may be zero, by their powers over all steps."""

import torch
import torch.nn as nn

TASK = "decays_from_zero"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("decay", torch.linspace(0, 0.6, 64))

    def forward(self, x):
        weight = self.decay ** torch.arange(x.shape[1] - 1, -1, -1, dtype=x.dtype, device=x.device)[:, None]
        return (x * weight).sum(1)
