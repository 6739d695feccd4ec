"""Numbers held between -2 and 2, and zero in place of infinities."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        bad = torch.isneginf(x) | torch.isposinf(x)
        return torch.tanh(torch.where(bad, torch.zeros_like(x), x)) * 2


def get_inputs():
    return [torch.randn(256, 512)]


def get_init_inputs():
    return []
