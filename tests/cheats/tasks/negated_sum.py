"""Minus a sum."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        return -(x + y)


def get_inputs():
    return [torch.randn(512, 512), torch.randn(512, 512)]


def get_init_inputs():
    return []
