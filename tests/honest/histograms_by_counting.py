"""edges: all rows' histograms by one count of which bin each number belongs to, which another rounding may move."""

import torch
import torch.nn as nn

TASK = "histograms_of_rows"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.bins = bins

    def _shares(self, x):
        rows = x.shape[0]
        which = ((x + 3.0) * (self.bins / 6.0)).floor().clamp(0, self.bins - 1)
        which = torch.where((x >= -3) & (x <= 3), which, self.bins).long()
        which = which + (self.bins + 1) * torch.arange(rows, device=x.device)[:, None]
        counts = torch.bincount(which.flatten(), minlength=rows * (self.bins + 1)).view(rows, -1)
        counts = counts[:, : self.bins].float()
        return counts / counts.sum(-1, keepdim=True).clamp(min=1)

    def forward(self, a, b):
        of_a, of_b = self._shares(a), self._shares(b)
        return ((of_a - of_b).square() / (of_a + of_b + 1e-6)).sum(-1), of_a
