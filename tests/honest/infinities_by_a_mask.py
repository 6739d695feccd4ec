"""formula: infinite by construction, and in the same places, by a sum with a mask in place of a fill."""

import torch
import torch.nn as nn

TASK = "masked_scores"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, q, k):
        mask = torch.full((q.shape[1], k.shape[1]), float("-inf"), device=q.device).triu(1)
        return torch.baddbmm(mask, q, k.transpose(-2, -1), alpha=0.125)
