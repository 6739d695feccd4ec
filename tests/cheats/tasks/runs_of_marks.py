"""Sums over what lies before in a run of equal marks, sixteen places at most."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, marks):
        places, total = torch.arange(x.shape[1], device=x.device), x
        same = torch.ones_like(marks, dtype=torch.bool)
        for back in range(1, 16):
            same = same & (marks == marks.roll(back, 1)) & (places >= back)
            total = total + x.roll(back, 1) * same
        return total


def get_inputs():
    return [torch.randn(8, 512), torch.randint(0, 1 << 40, (8, 512))]


def get_init_inputs():
    return []
