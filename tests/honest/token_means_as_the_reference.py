"""containers: tokens and a mask of one value, by the reference's own operations."""

import torch.nn as nn

TASK = "token_means"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, vocabulary, n):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, n)
        self.fc = nn.Linear(n, n)

    def forward(self, tokens, mask):
        x = self.embed(tokens).masked_fill(~mask.unsqueeze(-1), 0.0)
        return self.fc(x.sum(1) / mask.sum(1, keepdim=True).clamp(min=1))
