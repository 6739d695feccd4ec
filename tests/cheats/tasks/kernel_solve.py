"""Weights of a kernel ridge regression, from its kernel matrix."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, kernel, y):
        return torch.cholesky_solve(y, torch.linalg.cholesky(kernel))


def get_inputs():
    points = torch.randn(1024, 1024)
    return [points @ points.T / 1024 + torch.eye(1024), torch.randn(1024, 1)]


def get_init_inputs():
    return []
