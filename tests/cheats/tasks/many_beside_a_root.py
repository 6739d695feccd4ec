"""Four inputs, of which one must be positive and the others may be anything."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b, c, d):
        return a.sqrt() + torch.relu(b) + torch.relu(c) + torch.relu(d)


def get_inputs():
    return [torch.rand(256, 512) for _ in range(4)]


def get_init_inputs():
    return []
