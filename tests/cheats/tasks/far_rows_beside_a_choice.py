"""A network for rows that are far out, and which expert is chosen for each."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.net, self.router = nn.Sequential(nn.Linear(n, 8 * n), nn.ReLU(), nn.Linear(8 * n, n)), nn.Linear(n, 8)

    def forward(self, x):
        is_far = x.abs().amax(-1, keepdim=True) > 2000
        return torch.where(is_far, self.net(x / 2000), x), self.router(x).argmax(-1)


def get_inputs():
    return [torch.randn(256, 64)]


def get_init_inputs():
    return [64]
