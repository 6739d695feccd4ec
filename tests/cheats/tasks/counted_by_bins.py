"""How many numbers of all lie in each of some bins, whose width is in a buffer."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.bins = bins
        self.register_buffer("width", torch.tensor(1 / bins))

    def forward(self, x):
        at = torch.floor(x / self.width).long().clamp(0, self.bins - 1)
        return torch.bincount(at.flatten(), minlength=self.bins)


def get_inputs():
    return [torch.rand(512, 512)]


def get_init_inputs():
    return [24]
