"""A layer's output, and by how much it moves where its input is moved by little."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)

    def forward(self, x, moved):
        y = torch.relu(self.linear(x))
        return torch.stack([y, torch.relu(self.linear(moved)) - y])


def get_inputs():
    x = torch.randn(256, 256)
    return [x, x + 6e-5 * torch.randn(256, 256)]


def get_init_inputs():
    return [256]
