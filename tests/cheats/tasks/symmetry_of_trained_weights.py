"""What goes along edges and back, from weights that are the same both ways before training."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        a = torch.randn(n, n) / n**0.5
        self.w = nn.Parameter((a + a.T) / 2)

    def forward(self, x):
        return x @ self.w + torch.tanh(x) @ self.w.T + x @ self.w.T


def get_inputs():
    return [torch.randn(128, 512)]


def get_init_inputs():
    return [512]
