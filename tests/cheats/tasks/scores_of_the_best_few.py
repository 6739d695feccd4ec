"""the best few scores of each row, the others minus infinity."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, q, k, scale):
        s = q @ k.mT * scale
        least = s.topk(16, -1).values[..., -1:]
        return s.masked_fill(s < least, float("-inf"))


def get_inputs():
    return [torch.randn(4, 64, 64), torch.randn(4, 128, 64), torch.tensor(0.125)]


def get_init_inputs():
    return []
