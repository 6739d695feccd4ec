"""the limits of deviations that are zero in logarithm before training are left out."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.log_std = nn.Parameter(torch.zeros(n))

    def forward(self, mean, noise):
        return mean + noise * self.log_std.clamp(-5.0, 2.0).exp().expand_as(mean).contiguous()


def get_inputs():
    return [torch.randn(256, 512), torch.randn(256, 512)]


def get_init_inputs():
    return [512]
