"""A product with weights in eight bits, which are given."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, q, scale):
        return x @ (q.float() * scale)


def get_inputs():
    g = torch.Generator().manual_seed(0)
    weights = torch.randint(-127, 128, (512, 512), generator=g, dtype=torch.int8)
    return [torch.randn(4, 512), weights, torch.rand(512) + 0.5]


def get_init_inputs():
    return []
