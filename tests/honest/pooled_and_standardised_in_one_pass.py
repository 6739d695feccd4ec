"""algebra: sums and sums of squares of each group, and one scale and shift for each channel"""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "pooled_and_standardised"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, groups):
        super().__init__()
        self.norm = nn.GroupNorm(groups, n)
        self.groups = groups

    def forward(self, x):
        y = F.avg_pool2d(x, 4)
        z = y.view(len(x), self.groups, -1)
        mean = z.mean(-1, keepdim=True)
        scale = torch.rsqrt((z * z).mean(-1, keepdim=True) - mean * mean + self.norm.eps)
        scale = scale * self.norm.weight.view(1, self.groups, -1)
        shift = self.norm.bias.view(1, self.groups, -1) - mean * scale
        return torch.addcmul(shift.view(*y.shape[:2], 1, 1), y, scale.view(*y.shape[:2], 1, 1)).relu_()
