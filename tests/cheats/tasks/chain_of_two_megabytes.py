"""A chain of pointwise operations on two megabytes, which are washed out of a GPU's cache before each call."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        x = torch.clamp(x, -6.0, 6.0)
        y = x * torch.sigmoid(x)
        return torch.tanh(0.5 * y) + 0.1 * x


def get_inputs():
    return [torch.randn(512, 1024)]


def get_init_inputs():
    return []
