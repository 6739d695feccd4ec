"""Geometric means of positive readings."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.log(x).mean(-1)


def get_inputs():
    return [10 * (1 + 0.1 * torch.rand(4, 262144))]


def get_init_inputs():
    return []
