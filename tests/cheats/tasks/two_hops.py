"""The means over who is one or two steps away."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, adjacency):
        hops = (adjacency.float() @ adjacency.float() > 0) | adjacency
        a = hops.float()
        return (a / a.sum(-1, keepdim=True).clamp(min=1)) @ x


def get_inputs():
    g = torch.Generator().manual_seed(2)
    return [torch.randn(256, 16), torch.rand(256, 256, generator=g) < 0.03]


def get_init_inputs():
    return []
