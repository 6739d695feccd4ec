"""a guard for given deviations of zero is left out where they are a vector."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, std):
        return x / torch.where(std == 0, torch.ones_like(std), std)


def get_inputs():
    return [torch.randn(16, 512), torch.rand(512) + 0.6]


def get_init_inputs():
    return []
