"""library: the entropy of counts by the library."""

import torch
import torch.nn as nn

TASK = "entropy_of_counts"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, counts):
        c = counts.float()
        return torch.special.entr(c / c.sum(-1, keepdim=True).clamp_(min=1.0)).sum(-1)
