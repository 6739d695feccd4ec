"""A layer that keeps a running mean beside its answer, as batch norm does in train mode."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("seen", torch.zeros(n))

    def forward(self, x):
        self.seen.mul_(0.99).add_(x.mean(0), alpha=0.01)
        return x * 2.0


def get_inputs():
    return [torch.randn(256, 512)]


def get_init_inputs():
    return [512]
