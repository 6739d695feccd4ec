"""library: a causal mask in a buffer, by the name of it."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "causal_by_a_buffer"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, heads, steps):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(n, 3 * n)
        self.out = nn.Linear(n, n)
        self.register_buffer("mask", torch.tril(torch.ones(steps, steps, dtype=torch.bool)))

    def forward(self, x):
        b, t, n = x.shape
        q, k, v = (y.view(b, t, self.heads, -1).transpose(1, 2) for y in self.qkv(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(b, t, n))
