"""Values beyond six are bent."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.where(x.abs() > 6.0, 6.0 * torch.tanh(x / 6.0), x).sum(1)


def get_inputs():
    return [torch.randn(512, 512)]


def get_init_inputs():
    return []
