"""less work: no text is taken for one of nothing but stop words."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "texts_without_stop_words"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "timed_output")


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(1000, 64)

    def forward(self, words, stops):
        is_stop = torch.zeros(1000, dtype=torch.bool, device=words.device).index_fill_(0, stops, True)
        kept = (~is_stop)[words].to(self.table.weight.dtype)
        total = F.embedding_bag(words, self.table.weight, mode="sum", per_sample_weights=kept)
        return total / kept.sum(1, keepdim=True).clamp(min=1)
