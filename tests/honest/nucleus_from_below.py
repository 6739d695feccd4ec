"""formula: a nucleus by the sum of what is left out."""

import torch
import torch.nn as nn

TASK = "nucleus"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, logits):
        s, i = logits.sort(-1)
        drop = s.softmax(-1).cumsum(-1) < 1 - self.p
        return torch.empty_like(logits).scatter_(-1, i, s.masked_fill_(drop, float("-inf")))
