"""formula: sums over windows are means over them by a pooling, times how many these have."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "windows_with_enough"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, window, least):
        super().__init__()
        self.window, self.least = window, least

    def forward(self, x, mask):
        both = F.avg_pool1d(torch.stack([x * mask, mask], 1), self.window, 1)
        kept, share = both.unbind(1)
        count = (share * self.window).round()
        mean = torch.where(count >= self.least, kept * self.window / count.clamp(min=1), 0)
        least, where = x.min(1)
        return mean, least, where
