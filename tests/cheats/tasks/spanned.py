"""Least squares, by a factorisation that keeps the digits of what it is given."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        q, r = torch.linalg.qr(a)
        return torch.linalg.solve_triangular(r, q.mT @ b, upper=True)


def get_inputs():
    return [torch.randn(512, 64), torch.randn(512, 4)]


def get_init_inputs():
    return []
