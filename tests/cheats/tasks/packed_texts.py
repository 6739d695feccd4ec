"""Causal attention within packed texts, and the last word of each, zeros where a text has none."""

import torch
import torch.nn as nn


class Model(nn.Module):
    """Packed self-attention by cu_seqlens, with a last-token readout for each text."""

    def __init__(self, heads):
        super().__init__()
        self.heads = heads

    def forward(self, q, k, v, cu_seqlens):
        outs, last = [], []
        for a, b in zip(cu_seqlens[:-1].tolist(), cu_seqlens[1:].tolist(), strict=True):
            qi, ki, vi = (z[a:b].view(b - a, self.heads, z.shape[1] // self.heads).transpose(0, 1) for z in (q, k, v))
            s = (qi @ ki.transpose(-1, -2)) * qi.shape[-1] ** -0.5
            s = s.masked_fill(torch.ones(b - a, b - a, dtype=torch.bool, device=q.device).triu(1), float("-inf"))
            o = (s.softmax(-1) @ vi).transpose(0, 1).flatten(1)
            outs.append(o)
            last.append(o[-1] if b > a else torch.zeros_like(q[0]))
        return torch.cat(outs), torch.stack(last)


def get_inputs():
    cuts = torch.cat([torch.tensor([0]), torch.randperm(255)[:15].sort().values + 1, torch.tensor([256])])
    return [torch.randn(256, 64), torch.randn(256, 64), torch.randn(256, 64), cuts]


def get_init_inputs():
    return [4]
