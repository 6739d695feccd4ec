"""Values held below 30, each row by a gate of its own."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, gate):
        return torch.where(x > 30.0, 30.0, x) * gate


def get_inputs():
    return [torch.randn(512, 1024), torch.randn(512, 1)]


def get_init_inputs():
    return []
