"""formula: the best few scattered into minus infinity."""

import torch
import torch.nn as nn

TASK = "scores_of_the_best_few"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, q, k, scale):
        s = (q * scale) @ k.mT
        v, i = s.topk(16, -1)
        return torch.full_like(s, float("-inf")).scatter_(-1, i, v)
