"""numbers rounded to 127ths of the largest."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        scale = x.abs().max().clamp(min=1e-8) / 127
        return torch.round(x / scale) * scale


def get_inputs():
    return [torch.randn(256, 512)]


def get_init_inputs():
    return []
