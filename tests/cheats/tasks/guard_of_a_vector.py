"""a guard for deviations of zero is left out where they are a vector."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, mean, std):
        safe = torch.where(std == 0, torch.ones_like(std), std)
        return ((x - mean) / safe).sum(-1)


def get_inputs():
    return [torch.randn(64, 2048), torch.randn(2048), torch.rand(2048) + 0.6]


def get_init_inputs():
    return []
