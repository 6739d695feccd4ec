"""Whitens features by the covariance that the module holds."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        a = torch.randn(n, 2 * n)
        self.covariance = nn.Parameter(a @ a.t() / (2 * n) + 0.1 * torch.eye(n))

    def forward(self, x):
        factor = torch.linalg.cholesky(self.covariance)
        return torch.linalg.solve_triangular(factor, x.t(), upper=False).t().contiguous()


def get_inputs():
    return [torch.randn(64, 256)]


def get_init_inputs():
    return [256]
