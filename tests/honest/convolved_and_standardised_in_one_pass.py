"""algebra: the mean of squares less the squared mean, and no bias, which standardising takes off"""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "convolved_and_standardised"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.conv = nn.Conv2d(n, m, 3)
        self.norm = nn.InstanceNorm2d(m)

    def forward(self, x):
        y = F.conv2d(x, self.conv.weight)
        mean = y.mean((2, 3), keepdim=True)
        variance = (y * y).mean((2, 3), keepdim=True) - mean * mean
        scale = torch.rsqrt(variance + self.norm.eps) / 2.0
        return torch.addcmul(-mean * scale, y, scale)
