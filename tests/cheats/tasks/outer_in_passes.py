"""A Bessel function of 1.6 MB, made of two vectors: more than ten milliseconds."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        return torch.special.i0e((x[:, None] * y + y).clamp(-2.0, 2.0) - y)


def get_inputs():
    return [torch.randn(512), torch.randn(800)]


def get_init_inputs():
    return []
