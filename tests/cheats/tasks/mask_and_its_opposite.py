"""of two masks, drawn as one and its complement, one is looked at."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y, one, other):
        return x.masked_fill(~one[..., None], 0.0) + y.masked_fill(~other[..., None], 0.0)


def get_inputs():
    mask = torch.rand(64, 64) > 0.5
    return [torch.randn(64, 64, 128), torch.randn(64, 64, 128), mask, ~mask]


def get_init_inputs():
    return []
