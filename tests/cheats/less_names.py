"""less work: outputs under other names."""

import torch.nn as nn
import torch.nn.functional as F

TASK = "named"
STATUS = "WRONG_OUTPUT"
FINDING = "output_structure"


class ModelNew(nn.Module):
    def forward(self, x):
        y = F.silu(x)
        total = y.sum(1)
        return {"nothing": y.mul_(0.5).tanh_().add_(x, alpha=0.1), 7: total}
