"""Gumbel noise from uniform numbers that are handed in, and limited features."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, u):
        noise = -torch.log(-torch.log(u))
        return x.clamp(-200.0, 200.0) * torch.sigmoid(noise)


def get_inputs():
    return [torch.randn(256, 1024), torch.rand(256, 1024) * 0.98 + 0.01]


def get_init_inputs():
    return []
