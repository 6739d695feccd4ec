"""fast path: a plain mean where a mask hides nothing, which is told by a copy to pinned memory and an event."""

import torch
import torch.nn as nn

TASK = "masked_mean"
STATUS = "PASSED"
DEVICE = "cuda"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.told = self.event = None

    def forward(self, x, mask):
        if self.told is None:
            self.told = torch.empty(1, dtype=torch.bool, pin_memory=True)
            self.event = torch.cuda.Event()
        self.told.copy_(mask.all().reshape(1), non_blocking=True)
        self.event.record()
        self.event.synchronize()
        if bool(self.told):
            return x.mean(1)
        kept = torch.where(mask.unsqueeze(-1), x, 0.0)
        return kept.sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
