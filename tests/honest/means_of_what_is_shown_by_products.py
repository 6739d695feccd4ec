"""algebra: means of what is shown as one product a row, its shares made first; a row without any has none."""

import torch
import torch.nn as nn

TASK = "means_of_what_is_shown"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x, mask):
        shares = mask / mask.sum(1, keepdim=True).clamp(min=1)
        return self.fc(torch.bmm(shares[:, None], x)[:, 0])
