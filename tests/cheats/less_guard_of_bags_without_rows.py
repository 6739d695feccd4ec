"""less work: a bag without rows divides by zero, for each has some as offsets are drawn."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "bags_by_their_offsets"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "timed_output")


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(5000, 32))

    def forward(self, ids, offsets, weights):
        total = F.embedding_bag(ids, self.table, offsets, mode="sum", per_sample_weights=weights)
        return total / torch.diff(offsets, append=offsets.new_tensor([ids.numel()]))[:, None]
