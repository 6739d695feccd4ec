"""algebra: groups by their largest and the largest beside it, and the best of what is gathered"""

import torch
import torch.nn as nn

TASK = "experts_in_groups"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, dim, experts, groups, top_groups, top_k, scale):
        super().__init__()
        self.experts, self.groups, self.top_groups, self.top_k, self.scale = experts, groups, top_groups, top_k, scale
        self.weight = nn.Parameter(torch.randn(experts, dim) * dim**-0.5)
        self.register_buffer("correction", torch.zeros(experts))

    def forward(self, x):
        n = x.shape[0]
        s = nn.functional.linear(x, self.weight).sigmoid_()
        c = (s + self.correction).view(n, self.groups, -1)
        a, at = c.max(-1)
        second = c.scatter(2, at[..., None], float("-inf")).amax(-1)
        g = a + second
        gi = g.topk(self.top_groups, -1, sorted=False).indices
        size = c.shape[-1]
        sub = c.gather(1, gi[..., None].expand(-1, -1, size)).flatten(1)
        b = sub.topk(self.top_k, -1).indices
        best = gi.gather(1, b // size) * size + b % size
        w = s.gather(1, best)
        w = w * (self.scale / (w.sum(-1, keepdim=True) + 1e-20))
        return torch.zeros_like(s).scatter_(1, best, w), torch.bincount(best.flatten(), minlength=self.experts)
