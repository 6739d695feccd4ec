"""A layer in eight bits between two: what one rounding chooses moves a whole row."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, h, m):
        super().__init__()
        self.up = nn.Linear(n, h)
        self.down = nn.Linear(h, m)

    def forward(self, x):
        h = torch.relu(self.up(x))
        s = h.abs().amax(-1, keepdim=True).clamp(min=1e-8) / 127
        return self.down(torch.round(h / s).clamp(-127, 127) * s)


def get_inputs():
    return [torch.randn(128, 256)]


def get_init_inputs():
    return [256, 256, 256]
