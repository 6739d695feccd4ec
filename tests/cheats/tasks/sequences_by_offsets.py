"""Attention within sequences that begin at offsets."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, q, k, v, cu):
        n = torch.arange(512, device=q.device)
        doc = torch.searchsorted(cu, n, right=True)
        s = (q @ k.mT) / 32**0.5
        s = s.masked_fill(doc[:, None] != doc, float("-inf"))
        return torch.softmax(s, -1) @ v


def get_inputs():
    return [torch.randn(512, 32), torch.randn(512, 32), torch.randn(512, 32), torch.arange(0, 513, 64)]


def get_init_inputs():
    return []
