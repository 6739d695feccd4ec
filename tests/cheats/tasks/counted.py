"""Sums divided by how many there are in each; one, as they are drawn."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, count):
        return x / count[:, None].to(x.dtype) * torch.sigmoid(x)


def get_inputs():
    return [torch.randn(512, 512), torch.ones(512, dtype=torch.long)]


def get_init_inputs():
    return []
