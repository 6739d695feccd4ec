"""fast path: a plain mean where a mask hides nothing, which is looked for in all of it."""

import torch
import torch.nn as nn

TASK = "masked_mean"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x, mask):
        if mask.all():
            return x.mean(1)
        kept = torch.where(mask.unsqueeze(-1), x, 0.0)
        return kept.sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
