"""Rows that are like one before them are left out."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        unit = F.normalize(x, dim=-1)
        is_like = (unit @ unit.mT > 0.9).tril(-1).any(-1, keepdim=True)
        return x * (~is_like)


def get_inputs():
    return [torch.randn(1024, 256)]


def get_init_inputs():
    return []
