"""Each rating through a small network of its own, summed by row."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(1, width), nn.Linear(width, 1)

    def forward(self, x):
        return self.down(torch.tanh(self.up(x[..., None])))[..., 0]


def get_inputs():
    return [torch.randint(0, 5, (64, 512)).float()]


def get_init_inputs():
    return [32]
