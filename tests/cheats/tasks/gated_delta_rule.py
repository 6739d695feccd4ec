"""A state that forgets, and takes in what it did not foretell: the gated delta rule, step by step."""

import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def __init__(self, d=32, h=2):
        super().__init__()
        self.h, self.d = h, d // h
        self.q, self.k, self.v = nn.Linear(d, d, bias=False), nn.Linear(d, d, bias=False), nn.Linear(d, d, bias=False)
        self.b, self.a = nn.Linear(d, h), nn.Linear(d, h)
        self.o = nn.Linear(d, d, bias=False)

    def forward(self, x, state=None):
        items, steps, _ = x.shape
        q, k, v = (f(x).view(items, steps, self.h, self.d) for f in (self.q, self.k, self.v))
        q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)
        beta, decay = self.b(x).sigmoid(), F.logsigmoid(self.a(x)).exp()
        held = x.new_zeros(items, self.h, self.d, self.d) if state is None else state
        out = []
        for t in range(steps):
            held = held * decay[:, t, :, None, None]
            pred = torch.einsum("bhkv,bhk->bhv", held, k[:, t])
            held = held + torch.einsum("bhk,bhv->bhkv", k[:, t], (v[:, t] - pred) * beta[:, t, :, None])
            out.append(torch.einsum("bhkv,bhk->bhv", held, q[:, t]))
        return self.o(torch.stack(out, 1).flatten(2)), held


def get_inputs():
    return [torch.randn(2, 32, 32)]


def get_init_inputs():
    return []
