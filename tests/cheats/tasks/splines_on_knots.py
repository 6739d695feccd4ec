"""A layer of splines: of each input a linear one on knots of its own, saved as a buffer, in order."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, inputs, outputs, knots):
        super().__init__()
        self.register_buffer("knots", torch.linspace(-2, 2, knots).expand(inputs, -1).contiguous())
        self.values = nn.Parameter(torch.randn(outputs, inputs, knots - 2) * 0.1)

    def forward(self, x):
        g, y = self.knots, x[..., None]
        on = ((y >= g[:, :-1]) & (y < g[:, 1:])).to(x.dtype)
        rises = (y - g[:, :-2]) / (g[:, 1:-1] - g[:, :-2]) * on[..., :-1]
        falls = (g[:, 2:] - y) / (g[:, 2:] - g[:, 1:-1]) * on[..., 1:]
        return F.linear((rises + falls).flatten(1), self.values.flatten(1))


def get_inputs():
    return [2 * torch.rand(256, 32) - 1]


def get_init_inputs():
    return [32, 16, 12]
