"""library: embedding_bag"""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "two_bags"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.users, self.items = nn.Parameter(torch.randn(n, m)), nn.Parameter(torch.randn(n, m))

    def forward(self, a, b, offsets_a, offsets_b):
        return torch.cat(
            [
                F.embedding_bag(a, self.users, offsets_a, mode="sum"),
                F.embedding_bag(b, self.items, offsets_b, mode="sum"),
            ],
            1,
        )
