"""weights that are shortened to a ball are taken for outside it."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, n))

    def forward(self, x):
        norm = self.weight.norm(dim=1, keepdim=True)
        return x @ (self.weight / (norm / 2.0).clamp(min=1.0)).t()


def get_inputs():
    return [torch.randn(16, 1024)]


def get_init_inputs():
    return [1024]
