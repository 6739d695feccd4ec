"""algebra: all sequences at once, with a mask, and those without frames at the end"""

import torch
import torch.nn as nn

TASK = "sequences_pooled"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.score = nn.Linear(dim, 1)
        self.proj = nn.Linear(3 * dim, hidden)

    def forward(self, x, lengths):
        is_there = torch.arange(x.shape[1], device=x.device) < lengths[:, None]
        shares = self.score(x).squeeze(-1).masked_fill(~is_there, float("-inf")).softmax(-1)
        both = torch.stack([is_there / lengths[:, None], shares], 1) @ x
        top = x.masked_fill(~is_there[..., None], float("-inf")).amax(1)
        pooled = torch.cat([both[:, 0], top, both[:, 1]], -1)
        return self.proj(pooled.masked_fill(lengths[:, None] == 0, 0))
