"""Fifty rounds of Sinkhorn's normalisation."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        p = torch.exp(x - x.amax(dim=(1, 2), keepdim=True))
        for _ in range(50):
            p = p / p.sum(2, keepdim=True)
            p = p / p.sum(1, keepdim=True)
        return p


def get_inputs():
    return [torch.randn(8, 64, 64)]


def get_init_inputs():
    return []
