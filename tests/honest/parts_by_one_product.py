"""less work: all bits at once, as the rows of a product."""

import torch
import torch.nn as nn

TASK = "parts_by_bits"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, words, parts, weights):
        bits = ((words[:, None] >> torch.arange(48, device=words.device)) & 1).float()
        count = bits.sum(1)
        return (bits * weights) @ parts / count.clamp(min=1)[:, None], count
