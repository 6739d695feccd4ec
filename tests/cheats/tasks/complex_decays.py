"""A recurrence of complex numbers whose decays are given."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, decays):
        h, out = torch.zeros_like(x[:, 0]), []
        for t in range(x.shape[1]):
            h = decays * h + x[:, t]
            out.append(h)
        return torch.stack(out, 1)


def get_inputs():
    decays = torch.polar(0.7 * torch.rand(32), 6.0 * torch.rand(32))
    return [torch.randn(4, 256, 32, dtype=torch.complex64), decays]


def get_init_inputs():
    return []
