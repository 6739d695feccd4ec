"""Features by their spread in the batch, within limits; how they go together is kept, and what each counts is saved."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("share", torch.linspace(0.5, 1.5, n))
        self.register_buffer("seen", torch.zeros(n, n))

    def forward(self, x):
        self.seen.lerp_(x.t() @ x / x.shape[0], 0.5)
        return torch.clamp(x * torch.rsqrt(x.var(0) + 1e-5) * self.share, -6.0, 6.0)


def get_inputs():
    return [torch.randn(512, 256)]


def get_init_inputs():
    return [256]
