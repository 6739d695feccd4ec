"""less work: how far blocks are off by the larger less the smaller in bytes, and no mask of each place."""

import torch
import torch.nn as nn

TASK = "blocks_like_those_before"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, most):
        super().__init__()
        self.most = most

    def forward(self, before, now):
        n, c, h, w = now.shape
        one, two = (each.view(n, c, h // 8, 8, w // 8, 8) for each in (before, now))
        off = torch.maximum(one, two).sub_(torch.minimum(one, two)).sum((3, 5), keepdim=True)
        return torch.where(off < 64 * self.most, one, two).view(now.shape)
