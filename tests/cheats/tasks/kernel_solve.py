"""Weights of a kernel ridge regression, from its kernel matrix."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, kernel, y):
        return torch.cholesky_solve(y, torch.linalg.cholesky(kernel))


def get_inputs():
    points = torch.randn(512, 512)
    return [points @ points.T / 512 + torch.eye(512), torch.randn(512, 1)]


def get_init_inputs():
    return []
