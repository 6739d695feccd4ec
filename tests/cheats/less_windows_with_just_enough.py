"""less work: windows with as many as are asked for count as if they had fewer."""

import torch
import torch.nn as nn

TASK = "windows_with_enough"
STATUS = "WRONG_OUTPUT"
FINDING = "error"
DETAIL = "input set 0:"


class ModelNew(nn.Module):
    def __init__(self, window, least):
        super().__init__()
        self.window, self.least = window, least

    def forward(self, x, mask):
        kept = (x * mask).unfold(1, self.window, 1).sum(-1)
        count = mask.unfold(1, self.window, 1).sum(-1)
        mean = torch.where(count > self.least, kept / count.clamp(min=1), 0)
        least, where = x.min(1)
        return mean, least, where
