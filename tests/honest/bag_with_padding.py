"""library: a mean of embeddings without padding, as a bag."""

import torch.nn as nn
import torch.nn.functional as F

TASK = "bag_with_padding"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, words, n):
        super().__init__()
        self.emb = nn.Embedding(words, n, padding_idx=0)
        self.fc = nn.Linear(n, n)

    def forward(self, ids):
        return self.fc(F.embedding_bag(ids, self.emb.weight, mode="mean", padding_idx=0))
