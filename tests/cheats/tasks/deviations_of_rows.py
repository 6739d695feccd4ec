"""Normal densities, in logarithms."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, sigma):
        return -0.5 * (x / sigma) ** 2 - torch.log(sigma)


def get_inputs():
    return [torch.randn(256, 1024), (torch.rand(256, 1) + 0.5).repeat(1, 1024)]


def get_init_inputs():
    return []
