"""Zeros laid between the numbers of 1.5 MB: 38 MB, most of which hangs on nothing."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        items, rows, columns = x.shape
        y = torch.zeros(items, 4 * rows, 6 * columns, device=x.device, dtype=x.dtype)
        y[:, ::4, ::6] = x
        return y


def get_inputs():
    return [torch.randn(16, 128, 192)]


def get_init_inputs():
    return []
