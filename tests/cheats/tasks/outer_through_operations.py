"""An outer product of 285 MB through some operations: a turn of a race has three calls of some 0.2 ms at best."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        z = torch.tanh(x[:, None] * y[None, :])
        z = torch.tanh(z * 1.3 + 0.1)
        return torch.sigmoid(z * 1.5) + 0.25 * z


def get_inputs():
    return [torch.randn(8192), torch.randn(8704)]


def get_init_inputs():
    return []
