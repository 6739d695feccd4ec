"""Features by their spread in the batch, in train mode; how they go together is kept, as whitening keeps it."""

import torch
import torch.nn as nn

MODE = "train"


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(n))
        self.register_buffer("seen", torch.zeros(n, n))

    def forward(self, x):
        if self.training:
            self.seen.lerp_(x.t() @ x / x.shape[0], 0.5)
        return x * torch.rsqrt(x.var(0) + 1e-5) * self.scale


def get_inputs():
    return [torch.randn(512, 256)]


def get_init_inputs():
    return [256]
