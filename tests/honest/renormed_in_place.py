"""state: rows of a table are shortened in place as by the reference, by torch's own function."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "renormed_rows"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, count, n):
        super().__init__()
        self.table = nn.Embedding(count, n)

    def forward(self, tokens):
        with torch.no_grad():
            self.table.weight.renorm_(2, 0, 1.0)
        return F.embedding(tokens, self.table.weight).mean(1)
