"""outputs: a dict in another order."""

import torch.nn as nn
import torch.nn.functional as F

TASK = "named"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x):
        y = F.silu(x)
        total = y.sum(1)
        return {"total": total, "activation": y.mul_(0.5).tanh_().add_(x, alpha=0.1)}
