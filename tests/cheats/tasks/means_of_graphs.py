"""Means over the graphs of a batch."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, batch):
        out = torch.zeros(4, x.shape[1], dtype=x.dtype, device=x.device).index_add_(0, batch, x)
        n = torch.zeros(4, dtype=x.dtype, device=x.device).index_add_(0, batch, torch.ones_like(x[:, 0]))
        return out / n.clamp(min=1)[:, None]


def get_inputs():
    return [torch.randn(300, 64), torch.zeros(300, dtype=torch.long)]


def get_init_inputs():
    return []
