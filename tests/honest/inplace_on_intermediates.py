"""in-place work: intermediate values are overwritten, the input is not."""

import torch
import torch.nn as nn

TASK = "chain"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x):
        x = torch.clamp(x, -6.0, 6.0)
        y = torch.sigmoid(x).mul_(x).mul_(0.5).tanh_()
        return y.add_(x, alpha=0.1)
