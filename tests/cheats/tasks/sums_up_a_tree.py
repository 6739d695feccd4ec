"""What all that stand above each in a tree add up to, of the next 128."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, parents):
        total, node = x, parents
        for _ in range(128):
            total = total + torch.where((node > 0)[:, None], x[node], 0)
            node = parents[node]
        return total


def get_inputs():
    return [torch.randn(512, 16), (torch.rand(512) * torch.arange(512)).long()]


def get_init_inputs():
    return []
