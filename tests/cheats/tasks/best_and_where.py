"""The largest number of each row, and its place as a narrow integer."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        best = x.max(dim=-1)
        return best.values, best.indices.int()


def get_inputs():
    return [torch.randn(4096, 256)]


def get_init_inputs():
    return []
