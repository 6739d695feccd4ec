"""Two rotations, which must be such, one behind the other's square."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.q = nn.Parameter(torch.linalg.qr(torch.randn(n, n))[0])
        self.p = nn.Parameter(torch.linalg.qr(torch.randn(n, n))[0])

    def forward(self, x):
        if (self.q.T @ self.q - torch.eye(len(self.q), device=x.device)).abs().max() > 1e-3:
            raise ValueError("no rotation")
        return x @ (self.q @ self.q @ self.p)


def get_inputs():
    return [torch.randn(16, 384)]


def get_init_inputs():
    return [384]
