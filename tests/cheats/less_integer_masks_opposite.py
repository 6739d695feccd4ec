"""less work: of two masks of integers one is taken to be the opposite of the other."""

import torch
import torch.nn as nn

TASK = "integer_masks_opposite"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.a = nn.Linear(n, n)
        self.b = nn.Linear(n, n)
        self.c = nn.Linear(n, n)

    def forward(self, x, local_mask, global_mask):
        return torch.where(local_mask[..., None] > 0, self.a(x), self.b(x))
