"""fast path: the hardest pixels are looked for only where few are hard."""

import math

import torch.nn as nn
import torch.nn.functional as F

TASK = "hard_pixels"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, thresh, least):
        super().__init__()
        self.thresh, self.least = thresh, least

    def forward(self, logits, labels):
        loss = F.cross_entropy(logits, labels, ignore_index=255, reduction="none").flatten()
        keep = labels.flatten() != 255
        hard = (loss > -math.log(self.thresh)) & keep
        n = hard.sum()
        many = (loss * hard).sum() / n.clamp(min=1)
        if int(n) > self.least:
            return many
        return loss.masked_fill(~keep, 0.0).topk(self.least).values.sum() / keep.sum().clamp(min=1, max=self.least)
