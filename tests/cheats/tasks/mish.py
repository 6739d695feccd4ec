"""A mish of each number."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return nn.functional.mish(x)


def get_inputs():
    return [torch.randn(2048, 1024)]


def get_init_inputs():
    return []
