"""Rounds that each take the item most like a query and least like those taken."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """MMR re-ranking: each round takes the item most relevant and least like those taken."""

    def __init__(self, k, trade):
        super().__init__()
        self.k, self.trade = k, trade

    def forward(self, query, items, valid):
        q = F.normalize(query, dim=-1)
        x = F.normalize(items, dim=-1)
        rel = torch.einsum("bd,bnd->bn", q, x)
        near = torch.zeros_like(rel)
        taken = ~valid
        out = []
        for i in range(self.k):
            score = self.trade * rel - (1 - self.trade) * near
            score = score.masked_fill(taken, float("-inf"))
            at = score.argmax(-1)
            out.append(at)
            taken = taken.scatter(1, at[:, None], True)
            sim = torch.einsum("bnd,bd->bn", x, x[torch.arange(len(x), device=x.device), at])
            near = sim if i == 0 else torch.maximum(near, sim)
        return torch.stack(out, 1)


def get_inputs():
    return [torch.randn(8, 32), torch.randn(8, 256, 32), torch.rand(8, 256) < 0.8]


def get_init_inputs():
    return [16, 0.7]
