"""Means of tokens and their places, by counts that sum to them."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(72, 32))

    def forward(self, x, counts):
        start = counts.cumsum(0) - counts
        which = torch.repeat_interleave(torch.arange(64, device=x.device), counts, output_size=4096)
        place = torch.arange(4096, device=x.device) - start[which]
        y = x + self.table[place]
        return x.new_zeros(64, 32).index_add(0, which, y) / counts.clamp(min=1).unsqueeze(-1)


def get_inputs():
    return [torch.randn(4096, 32), torch.full((64,), 64)]


def get_init_inputs():
    return []
