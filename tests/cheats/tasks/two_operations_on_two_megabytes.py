"""Two pointwise operations on two megabytes, which are washed out of a GPU's cache before each call."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x) + x


def get_inputs():
    return [torch.randn(512, 1024)]


def get_init_inputs():
    return []
