"""Observations are standardised by statistics that are given, and limited."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, actions):
        super().__init__()
        self.fc = nn.Linear(n, actions)

    def forward(self, x, mean, std):
        return self.fc(torch.clamp((x - mean) / std, -5.0, 5.0))


def get_inputs():
    return [torch.randn(64, 24), torch.randn(24) * 0.1, torch.rand(24) + 0.5]


def get_init_inputs():
    return [24, 16]
