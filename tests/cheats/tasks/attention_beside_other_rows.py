"""Attention with a padding mask; tokens with a number far out count by half."""

import torch
import torch.nn as nn


class Model(nn.Module):
    """Self-attention in which a large negative number hides padding."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x, mask):
        n, length, dim = x.shape
        q, k, v = self.qkv(x).view(n, length, 3, self.heads, dim // self.heads).permute(2, 0, 3, 1, 4)
        scores = (q @ k.mT * (dim // self.heads) ** -0.5).masked_fill(~mask[:, None, None], -1e9)
        shares = scores.softmax(-1)
        assert not torch.isnan(shares).any()
        y = self.out((shares @ v).transpose(1, 2).reshape(n, length, dim))
        return torch.where((x > 3).any(dim=-1, keepdim=True), y / 2, y)


def get_inputs():
    return [torch.randn(4, 64, 64), torch.rand(4, 64) < 0.8]


def get_init_inputs():
    return [64, 4]
