"""library: the two best experts at once, and each token's slot by its number"""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "two_experts_with_room"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, width, experts, room, hidden):
        super().__init__()
        self.experts, self.room = experts, room
        self.gate = nn.Linear(width, experts, bias=False)
        self.up = nn.Parameter(torch.randn(experts, width, hidden) * 0.1)
        self.down = nn.Parameter(torch.randn(experts, hidden, width) * 0.1)

    def forward(self, x):
        best, which = self.gate(x).softmax(-1).topk(2, -1)
        which = which.t().reshape(-1)
        place = (F.one_hot(which, self.experts).cumsum(0) - 1).gather(1, which[:, None])[:, 0]
        kept = place < self.room
        best = best.t() * kept.view(2, -1)
        best = best / best.sum(0).clamp(min=torch.finfo(x.dtype).eps)
        slot = torch.where(kept, which * self.room + place, self.experts * self.room)
        given = x.new_zeros(self.experts * self.room + 1, x.shape[1])
        given[slot] = x.repeat(2, 1)
        made = F.gelu(given[:-1].view(self.experts, self.room, -1) @ self.up) @ self.down
        made = F.pad(made.flatten(0, 1), (0, 0, 0, 1))[slot].view(2, *x.shape)
        return (best[..., None] * made).sum(0)
