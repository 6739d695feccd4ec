"""Numbers by a scale, rounded where a saved flag says so."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("enabled", torch.tensor(False))
        self.scale = nn.Parameter(torch.rand(512) + 0.5)

    def forward(self, x):
        y = x * self.scale
        return torch.where(self.enabled, torch.tanh(y * 4).round() / 4, y)


def get_inputs():
    return [torch.randn(256, 512)]


def get_init_inputs():
    return []
