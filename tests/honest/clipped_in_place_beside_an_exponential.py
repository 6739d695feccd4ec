"""kernels: squares of clipped numbers in place, beside an exponential that may overflow."""

import torch
import torch.nn as nn

TASK = "clipped_beside_an_exponential"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x):
        return x.clamp(-30, 30).square_(), torch.mul(x, 12).exp_()
