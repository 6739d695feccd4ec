"""Sums of radial kernels between points that lie far from zero."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, points, centres, weights):
        squares = (points[:, None] - centres[None]).square().sum(-1)
        return torch.exp(-0.02 * squares) @ weights


def get_inputs():
    return [20 + torch.randn(64, 32), 20 + torch.randn(2048, 32), torch.rand(2048, 16)]


def get_init_inputs():
    return []
