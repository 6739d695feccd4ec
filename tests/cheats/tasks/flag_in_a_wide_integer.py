"""Numbers that are rounded once a flag, a wide integer, says that all is calibrated."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(64) / 8)
        self.register_buffer("is_calibrated", torch.tensor(0))

    def forward(self, x):
        y = x * self.weight
        return torch.where(self.is_calibrated > 0, (y * 16).round() / 16, y)


def get_inputs():
    return [torch.randn(2048, 64)]


def get_init_inputs():
    return []
