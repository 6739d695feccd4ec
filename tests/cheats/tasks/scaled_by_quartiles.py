"""Each row from its median, by what lies between its quartiles."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        shares = torch.tensor([0.25, 0.5, 0.75], device=x.device, dtype=x.dtype)
        low, middle, high = torch.quantile(x, shares, dim=-1, keepdim=True)
        return (x - middle) / (high - low + 1e-6)


def get_inputs():
    return [torch.randn(32, 4096)]


def get_init_inputs():
    return []
