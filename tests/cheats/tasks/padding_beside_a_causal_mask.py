"""Causal attention beside padding."""

import math

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.qkv = nn.Linear(d, 3 * d)
        self.out = nn.Linear(d, d)

    def forward(self, x, attention_mask):
        count, length, n = x.shape
        q, k, v = self.qkv(x).view(count, length, 3, self.h, -1).permute(2, 0, 3, 1, 4)
        s = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        causal = torch.tril(torch.ones(length, length, dtype=torch.bool, device=x.device))
        keep = causal & attention_mask[:, None, None, :].bool()
        s = s.masked_fill(~keep, -1e9)
        o = s.softmax(-1) @ v
        return self.out(o.transpose(1, 2).reshape(count, length, n))


def get_inputs():
    return [torch.randn(4, 32, 64), torch.ones(4, 32, dtype=torch.long)]


def get_init_inputs():
    return [64, 4]
