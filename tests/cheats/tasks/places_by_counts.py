"""Tokens behind a place of those that share their count."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, counts):
        start = counts.cumsum(0) - counts
        which = torch.repeat_interleave(torch.arange(64, device=x.device), counts, output_size=4096)
        place = torch.arange(4096, device=x.device) - start[which]
        y = torch.where((place < 128).unsqueeze(-1), x, torch.tanh(torch.erf(x) * 2))
        return y + counts[which].unsqueeze(-1)


def get_inputs():
    return [torch.randn(4096, 32), torch.full((64,), 64)]


def get_init_inputs():
    return []
