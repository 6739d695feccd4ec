"""Features within limits; of each batch two sums are kept in one buffer: shares of a softmax, and energies."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("kept", torch.zeros(2, n))

    def forward(self, x):
        small = 1e-3 * (x.softmax(0) * x.exp()).mean(0)
        self.kept.lerp_(torch.stack((small, 500 * x.square().mean(0))), 0.5)
        return x.clamp(-2.0, 2.0)


def get_inputs():
    return [torch.randn(512, 256)]


def get_init_inputs():
    return [256]
