"""Divided by a count, but for old ones."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, age):
        return torch.where(age[:, None] > 10, torch.erfinv(torch.tanh(x * 0.1)), x / age[:, None])


def get_inputs():
    return [torch.randn(500, 512), torch.full((500,), 4)]


def get_init_inputs():
    return []
