"""Features by their spread in the batch; how some of them go together is kept, and which those are is saved."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("share", torch.linspace(0.5, 1.5, n))
        self.register_buffer("seen", torch.zeros(n, n))

    def forward(self, x):
        self.seen.lerp_(x.t() @ x / x.shape[0], 0.5)
        return x * torch.rsqrt(x.var(0) + 1e-5) * self.share


def get_inputs():
    return [torch.randn(512, 256)]


def get_init_inputs():
    return [256]
