"""formula: a step is one number of both its ends; sorted, what comes again stands beside itself."""

import torch
import torch.nn as nn

TASK = "ways_through_a_shop"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, items, dim):
        super().__init__()
        self.table = nn.Embedding(items, dim)

    def forward(self, way):
        items = len(self.table.weight)
        steps = (way[:, :-1] * items + way[:, 1:]).sort(1).values
        ends = steps % items
        counts = ends != 0
        counts[:, 1:] &= steps[:, 1:] != steps[:, :-1]
        shares = counts.to(self.table.weight.dtype)
        number = counts.sum(1)
        return torch.bmm(shares[:, None], self.table(ends)).squeeze(1) / number.clamp(min=1)[:, None], number
