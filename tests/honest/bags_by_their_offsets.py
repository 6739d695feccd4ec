"""less work: bags by the library, those without rows too."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "bags_by_their_offsets"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(5000, 32))

    def forward(self, ids, offsets, weights):
        total = F.embedding_bag(ids, self.table, offsets, mode="sum", per_sample_weights=weights)
        count = torch.diff(offsets, append=offsets.new_tensor([ids.numel()]))
        return total / count.clamp(min=1)[:, None]
