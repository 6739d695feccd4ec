"""A linear layer on what has a little noise added in each call, as in regularised layers that draw at inference too."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, 8)

    def forward(self, x):
        return self.fc(x + 0.001 * torch.randn_like(x))


def get_inputs():
    return [torch.randn(512, 512)]


def get_init_inputs():
    return [512]
