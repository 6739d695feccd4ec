"""algebra: ragged rows padded to a length that the module is made with"""

import math

import torch
import torch.nn as nn

TASK = "ragged_means"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.max_len = n
        self.w = nn.Parameter(torch.randn(8))

    def forward(self, x, lengths):
        t = torch.arange(self.max_len, device=x.device)
        starts = lengths.cumsum(0) - lengths
        keep = t < lengths[:, None]
        p = x[(starts[:, None] + t).clamp(max=len(x) - 1)]
        s = (p @ self.w).masked_fill(~keep, float("-inf")).softmax(1)
        return torch.nan_to_num(torch.einsum("bt,btd->bd", s, p)) * math.log(self.max_len)
