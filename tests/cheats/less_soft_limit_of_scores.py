"""less work: no soft limit of scores, where a wave's longest period might stand for infinity."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "attention_with_a_soft_limit"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "timed_output")


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.k = nn.Linear(n, n, bias=False)

    def turned(self, x):
        half = x.shape[-1] // 2
        steps = 10000.0 ** (-torch.arange(half, device=x.device, dtype=x.dtype) / half)
        angle = torch.arange(x.shape[1], device=x.device, dtype=x.dtype)[:, None] * steps
        a, b = F.normalize(x, dim=-1).chunk(2, -1)
        return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)

    def forward(self, x):
        q = self.turned(x)
        each = (q[:, None], self.k(q)[:, None], x[:, None])
        return F.scaled_dot_product_attention(*each, scale=1.0)[:, 0]
