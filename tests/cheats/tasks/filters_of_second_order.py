"""Each item through a filter of second order, whose poles are given."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, a, b):
        one = two = torch.zeros_like(x[:, 0])
        out = []
        for t in range(x.shape[1]):
            one, two = x[:, t] - a * one - b * two, one
            out.append(one)
        return torch.stack(out, 1)


def get_inputs():
    radius, angle = 0.5 + 0.35 * torch.rand(64), 3.14159 * torch.rand(64)
    return [torch.randn(64, 256), -2 * radius * torch.cos(angle), radius**2]


def get_init_inputs():
    return []
