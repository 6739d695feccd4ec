"""weights: two that are tied, declared in another order."""

import torch.nn as nn

TASK = "tied"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, vocabulary, n):
        super().__init__()
        self.head = nn.Linear(n, vocabulary, bias=False)
        self.embed = nn.Embedding(vocabulary, n)
        self.norm = nn.LayerNorm(n)
        self.head.weight = self.embed.weight

    def forward(self, tokens):
        return self.head(self.norm(self.embed(tokens)))
