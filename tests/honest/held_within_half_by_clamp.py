"""limits: a swish by the library's function, and its limit by a clamp."""

import torch.nn as nn
import torch.nn.functional as F

TASK = "held_within_half"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x):
        return F.silu(x).clamp(max=65504.0)
