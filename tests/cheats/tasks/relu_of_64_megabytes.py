"""A ReLU of 64 megabytes, which nothing but memory bounds."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(16384, 1024)]


def get_init_inputs():
    return []
