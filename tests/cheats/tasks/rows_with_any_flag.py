"""A task: rows with any flag stay, and others are turned around."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, flags):
        return torch.where(flags.any(dim=1, keepdim=True), x, -x)


def get_inputs():
    return [torch.randn(512, 64), torch.rand(512, 16384) < 0.3]


def get_init_inputs():
    return []
