"""Two outputs by name."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        y = x * torch.sigmoid(x)
        return {"activation": torch.tanh(0.5 * y) + 0.1 * x, "total": y.sum(1)}


def get_inputs():
    return [torch.randn(256, 512)]


def get_init_inputs():
    return []
