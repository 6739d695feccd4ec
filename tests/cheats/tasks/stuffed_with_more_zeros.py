"""Zeros laid between the numbers of 4 MB: 94 MB, more than a GPU's second-level cache holds."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        items, rows, columns = x.shape
        y = torch.zeros(items, 4 * rows, 6 * columns, device=x.device, dtype=x.dtype)
        y[:, ::4, ::6] = x
        return y


def get_inputs():
    return [torch.randn(16, 160, 384)]


def get_init_inputs():
    return []
