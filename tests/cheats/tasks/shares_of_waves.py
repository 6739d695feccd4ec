"""A product by shares that must sum to one."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, k, n):
        super().__init__()
        self.shares = nn.Parameter(torch.softmax(torch.randn(k), 0), requires_grad=False)
        self.basis = nn.Parameter(torch.randn(n, n))

    def forward(self, x):
        if abs(float(self.shares.sum()) - 1.0) > 1e-3:
            raise ValueError("shares must sum to one")
        powers = torch.arange(1, len(self.shares) + 1, device=x.device)
        waves = torch.sin(powers[:, None] * torch.arange(x.shape[1], device=x.device))
        return x @ self.basis * (self.shares @ waves)


def get_inputs():
    return [torch.randn(2, 256)]


def get_init_inputs():
    return [512, 256]
