"""formula: activations as bytes by a reciprocal."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "activations_as_bytes"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = 1 / scale

    def forward(self, x):
        return F.silu(x).mul_(self.scale).round_().clamp_(-128, 127).to(torch.int8)
