"""fusion: steps of the delta rule by batched products of all heads, written into one output."""

import torch
import torch.nn.functional as F
from torch import nn

TASK = "gated_delta_rule"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, d=32, h=2):
        super().__init__()
        self.h, self.d = h, d // h
        self.q, self.k, self.v = nn.Linear(d, d, bias=False), nn.Linear(d, d, bias=False), nn.Linear(d, d, bias=False)
        self.b, self.a = nn.Linear(d, h), nn.Linear(d, h)
        self.o = nn.Linear(d, d, bias=False)

    def forward(self, x, state=None):
        items, steps, _ = x.shape
        h, d = self.h, self.d
        w = torch.cat((self.q.weight, self.k.weight, self.v.weight))
        q, k, v = F.linear(x, w).view(items, steps, 3, h, d).permute(2, 1, 0, 3, 4).reshape(3, steps, items * h, d)
        q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)
        ab = F.linear(x, torch.cat((self.b.weight, self.a.weight)), torch.cat((self.b.bias, self.a.bias))).sigmoid_()
        beta, g = ab.view(items, steps, 2, h).permute(2, 1, 0, 3).reshape(2, steps, items * h, 1)
        held = x.new_zeros(items * h, d, d) if state is None else state.reshape(items * h, d, d)
        out = x.new_empty(steps, items * h, d)
        for t in range(steps):
            held = held * g[t, :, :, None]
            kt = k[t][:, None]
            e = torch.baddbmm(v[t][:, None], kt, held, alpha=-1).mul_(beta[t, :, :, None])
            held = torch.baddbmm(held, kt.mT, e)
            torch.bmm(q[t][:, None], held, out=out[t][:, None])
        y = out.view(steps, items, h * d).transpose(0, 1)
        return self.o(y), held.view(items, h, d, d)
