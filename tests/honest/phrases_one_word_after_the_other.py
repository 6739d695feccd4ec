"""formula: phrases are compared word by word, and only those that are the same are looked at further."""

import torch
import torch.nn as nn

TASK = "phrases_said_before"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def forward(self, scores, words, penalty):
        before = self.size - 1
        count = words.shape[1] - before
        same = words[:, :count] == words[:, count, None]
        for place in range(1, before):
            same &= words[:, place : place + count] == words[:, count + place, None]
        shares = torch.softmax(scores.scatter_add(1, words, (-penalty[:, None]).expand(words.shape)), -1)
        row, place = same.nonzero(as_tuple=True)
        shares[row, words[row, place + before]] = 0
        return shares
