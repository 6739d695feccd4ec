"""Means of readings, of those that are not missing, for which a number stands that none is."""

import torch
import torch.nn as nn

MISSING = -9999.0


class Model(nn.Module):
    def forward(self, readings):
        there = readings != MISSING
        total = torch.where(there, readings, 0.0).sum(-1)
        return total / there.sum(-1).clamp(min=1)


def get_inputs():
    return [torch.randn(64, 24, 512)]


def get_init_inputs():
    return []
