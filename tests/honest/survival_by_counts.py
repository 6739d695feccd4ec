"""less work: days are counted, and shares multiplied once."""

import torch
import torch.nn as nn

TASK = "survival_to_some_days"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, days, died, horizons):
        counts = torch.zeros(len(days), 64).scatter_add_(1, days, torch.ones(days.shape))
        dead = torch.zeros(len(days), 64).scatter_add_(1, days, died.float())
        seen = counts.flip(1).cumsum(1).flip(1)
        shares = torch.where(seen > 0, 1 - dead / seen.clamp(min=1), 1.0)
        return shares.cumprod(1)[:, horizons]
