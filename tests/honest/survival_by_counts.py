"""less work: days are counted, and shares multiplied once."""

import torch
import torch.nn as nn

TASK = "survival_to_some_days"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, days, died, horizons):
        one = torch.ones(days.shape, device=days.device)
        counts = one.new_zeros(len(days), 64).scatter_add_(1, days, one)
        dead = one.new_zeros(len(days), 64).scatter_add_(1, days, died.float())
        seen = counts.flip(1).cumsum(1).flip(1)
        shares = torch.where(seen > 0, 1 - dead / seen.clamp(min=1), 1.0)
        return shares.cumprod(1)[:, horizons]
