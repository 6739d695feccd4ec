"""Channels brought to length one over all places, those that are zero throughout stay so."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        size = x.norm(dim=1, keepdim=True)
        return (x / size).masked_fill(size == 0, 0.0)


def get_inputs():
    return [torch.randn(64, 128, 64)]


def get_init_inputs():
    return []
