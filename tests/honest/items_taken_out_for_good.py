"""less work: what is taken is minus infinity from there on, and is not filled in each round."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "items_unlike_those_taken"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, k, trade):
        super().__init__()
        self.k, self.trade = k, trade

    def forward(self, query, items, valid):
        q = F.normalize(query, dim=-1)
        x = F.normalize(items, dim=-1)
        base = (x @ q[:, :, None])[..., 0].mul_(self.trade).masked_fill_(~valid, float("-inf"))
        near = None
        rows = torch.arange(len(x), device=x.device)
        out = torch.empty(len(x), self.k, dtype=torch.long, device=x.device)
        for i in range(self.k):
            at = (base if near is None else torch.add(base, near, alpha=self.trade - 1)).argmax(-1)
            out[:, i] = at
            base[rows, at] = float("-inf")
            if i + 1 < self.k:
                sim = (x @ x[rows, at][:, :, None])[..., 0]
                near = sim if near is None else torch.maximum(near, sim, out=near)
        return out
