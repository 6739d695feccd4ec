"""fast path: what texts of nothing but stop words are near is asked only where there are such."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "texts_without_stop_words"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(1000, 64)

    def forward(self, words, stops):
        is_stop = torch.zeros(1000, dtype=torch.bool, device=words.device).index_fill_(0, stops, True)
        kept = (~is_stop)[words].to(self.table.weight.dtype)
        total = F.embedding_bag(words, self.table.weight, mode="sum", per_sample_weights=kept)
        count = kept.sum(1, keepdim=True)
        mean = total / count.clamp(min=1)
        empty = (count == 0)[:, 0].nonzero()[:, 0]
        if not len(empty):
            return mean
        shares = torch.zeros(len(words), 1000, device=words.device).scatter_add_(
            1, words, torch.ones_like(words, dtype=torch.float32)
        )
        other = torch.softmax(shares[empty] @ shares.T / words.shape[1], 1) @ F.embedding_bag(
            words, self.table.weight, mode="mean"
        )
        return mean.index_copy(0, empty, other)
