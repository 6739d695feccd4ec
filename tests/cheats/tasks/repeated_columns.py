"""Every value 64 times."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.tanh(x)[:, :, None].repeat(1, 1, 64)


def get_inputs():
    return [torch.randn(64, 128)]


def get_init_inputs():
    return []
