"""library: rows are looked up by labels, some 300 of a thousand classes, beside words whose bits are counted."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "labels_beside_words"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = nn.Parameter(torch.randn(1000, 64))
        byte = torch.arange(256)
        self.register_buffer("counts", sum((byte >> bit) & 1 for bit in range(8)), persistent=False)

    def forward(self, labels, words):
        bits = (self.counts[words & 255] + self.counts[words >> 8]).sum(1, keepdim=True)
        return F.embedding(labels, self.rows) * (1 + bits.to(self.rows.dtype))
