"""The best of several shards' answers, each id once, with its best score."""

import torch
import torch.nn as nn


class Model(nn.Module):
    """An id that several shards return counts once, with its best score."""

    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, scores, ids):
        order = scores.argsort(dim=-1, descending=True, stable=True)
        s, i = scores.gather(1, order), ids.gather(1, order)
        again = torch.zeros_like(i, dtype=torch.bool)
        for j in range(1, i.shape[1]):
            again[:, j] = (i[:, :j] == i[:, j : j + 1]).any(1)
        s = s.masked_fill(again, float("-inf"))
        at = s.argsort(dim=-1, descending=True, stable=True)[:, : self.k]
        return s.gather(1, at), i.gather(1, at)


def get_inputs():
    return [torch.randn(16, 96), torch.randint(0, 1000000, (16, 96))]


def get_init_inputs():
    return [10]
