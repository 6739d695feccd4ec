"""formula: the largest is found as the larger of both ends."""

import torch
import torch.nn as nn

TASK = "rounded_by_the_largest"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x):
        lo, hi = x.aminmax()
        scale = torch.maximum(hi, -lo).clamp(min=1e-8) / 127
        return torch.round(x / scale) * scale
