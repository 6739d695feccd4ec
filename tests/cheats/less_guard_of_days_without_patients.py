"""less work: some patient is taken to be seen up to each day, as of 500 that are drawn one is."""

import torch
import torch.nn as nn

TASK = "survival_to_some_days"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "timed_output")


class ModelNew(nn.Module):
    def forward(self, days, died, horizons):
        one = torch.ones(days.shape, device=days.device)
        counts = one.new_zeros(len(days), 64).scatter_add_(1, days, one)
        dead = one.new_zeros(len(days), 64).scatter_add_(1, days, died.float())
        seen = counts.flip(1).cumsum(1).flip(1)
        return (1 - dead / seen).cumprod(1)[:, horizons]
