"""Features repeated along a new axis, written out: 32 KB in, 2 MB out."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x[:, :, None].expand(-1, -1, 64).contiguous()


def get_inputs():
    return [torch.randn(64, 128)]


def get_init_inputs():
    return []
