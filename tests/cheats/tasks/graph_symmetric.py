"""A graph convolution by a symmetric adjacency, the same in every draw."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, n) / n**0.5)

    def forward(self, x, adj):
        return torch.relu(torch.einsum("ij,bjd->bid", adj, x @ self.weight))


def get_inputs():
    g = torch.Generator().manual_seed(1)
    a = (torch.rand(48, 48, generator=g) < 0.1).float()
    a = ((a + a.T + torch.eye(48)) > 0).float()
    d = a.sum(1).rsqrt()
    return [torch.randn(4, 48, 16), d[:, None] * a * d]


def get_init_inputs():
    return [16]
