"""The last state of a recurrence whose gates are given."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, gates):
        kept, h = gates.sigmoid(), torch.zeros_like(x[:, 0])
        for t in range(x.shape[1]):
            h = kept[:, t] * h + x[:, t]
        return h


def get_inputs():
    return [torch.randn(4, 384, 32), torch.randn(4, 384, 32)]


def get_init_inputs():
    return []
