"""less work: the last 32 of 64 steps of a state whose rates of decay are trained as logarithms"""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "decays_in_logarithms"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.log_rate = nn.Parameter(torch.log(torch.arange(1, m + 1).float()).repeat(n, 1))

    def forward(self, x, step):
        step = F.softplus(step)
        kept = torch.exp(step[..., None] * -torch.exp(self.log_rate))
        state, reach = (step * x)[..., None].expand_as(kept), 1
        while reach < 32:
            later = torch.addcmul(state[:, reach:], kept[:, reach:], state[:, :-reach])
            state = torch.cat([state[:, :reach], later], 1)
            kept = torch.cat([kept[:, :reach], kept[:, reach:] * kept[:, :-reach]], 1)
            reach *= 2
        return state.mean(-1)
