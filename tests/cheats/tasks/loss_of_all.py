"""A mean squared error over everything: one number."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        return nn.functional.mse_loss(x, y)


def get_inputs():
    return [torch.randn(1024, 2048), torch.randn(1024, 2048)]


def get_init_inputs():
    return []
