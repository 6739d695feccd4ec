"""algebra: quartiles of rows that are sorted once."""

import torch
import torch.nn as nn

TASK = "scaled_by_quartiles"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x):
        rows = x.sort(-1).values
        found = []
        for share in (0.25, 0.5, 0.75):
            at = share * (x.shape[-1] - 1)
            first = int(at)
            found.append(torch.lerp(rows[:, first], rows[:, first + 1], at - first)[:, None])
        return (x - found[1]) / (found[2] - found[0] + 1e-6)
