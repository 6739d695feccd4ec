"""state: rows of a table are shortened in place, as max_norm does, by torch's own function over those looked up."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "renormed_rows"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, count, n):
        super().__init__()
        self.table = nn.Embedding(count, n, max_norm=1.0)

    def forward(self, tokens):
        with torch.no_grad():
            torch.embedding_renorm_(self.table.weight, tokens.reshape(-1), 1.0, 2.0)
        return F.embedding(tokens, self.table.weight).mean(1)
