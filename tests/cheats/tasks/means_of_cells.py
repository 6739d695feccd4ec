"""For each point the mean of what the points of its cell have."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, cells, features):
        same = (cells[:, None] == cells).all(-1).float()
        return same @ features / same.sum(1, keepdim=True)


def get_inputs():
    return [torch.randint(0, 2000, (1024, 3)), torch.randn(1024, 32)]


def get_init_inputs():
    return []
