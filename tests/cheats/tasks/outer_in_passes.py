"""Five passes over 36 MB, made of two vectors: more than ten milliseconds."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        return ((x[:, None] * y + y).clamp(-2.0, 2.0) - y).abs()


def get_inputs():
    return [torch.randn(2048), torch.randn(4608)]


def get_init_inputs():
    return []
