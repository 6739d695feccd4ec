"""A recurrence whose gates are given."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, gates):
        kept, h, out = gates.sigmoid(), torch.zeros_like(x[:, 0]), []
        for t in range(x.shape[1]):
            h = kept[:, t] * h + x[:, t]
            out.append(h)
        return torch.stack(out, 1)


def get_inputs():
    return [torch.randn(4, 256, 32), torch.randn(4, 256, 32)]


def get_init_inputs():
    return []
