"""An expensive function of a recording whose two channels are one."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.special.i0e(torch.lgamma(x.abs() + 0.1))


def get_inputs():
    return [torch.rand(64, 2048).repeat(1, 2) * 2 - 1]


def get_init_inputs():
    return []
