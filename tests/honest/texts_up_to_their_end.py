"""algebra: words up to the one that ends a text are added up where they lie, each by a weight of its own."""

import torch.nn as nn
import torch.nn.functional as F

TASK = "texts_to_the_last_word"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, words=4000, width=128):
        super().__init__()
        self.words = words
        self.table = nn.Embedding(words, width)

    def forward(self, tokens):
        seen = ((tokens == self.words - 1).cumsum(1) == 0).to(self.table.weight.dtype)
        shares = seen / seen.sum(1, keepdim=True).clamp(min=1)
        return F.embedding_bag(tokens, self.table.weight, mode="sum", per_sample_weights=shares)
