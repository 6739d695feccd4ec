"""formula: a nucleus by sums that are normalised last."""

import torch
import torch.nn as nn

TASK = "nucleus"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, logits):
        s = logits.sort(-1, descending=True).values
        e = (s - s[..., :1]).exp()
        c = e.cumsum(-1)
        drop = (c - e) > self.p * c[..., -1:]
        least = s.masked_fill(drop, float("inf")).amin(-1, keepdim=True)
        return torch.where(logits < least, float("-inf"), logits)
