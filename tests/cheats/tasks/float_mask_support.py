"""which rows a mask of numbers keeps is asked at the first call and never again."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight_orig = nn.Parameter(torch.randn(n, n) / n**0.5)
        self.register_buffer("weight_mask", (torch.rand(n, 1) > 0.875).float().expand(n, n).clone())

    def forward(self, x):
        return x @ (self.weight_orig * self.weight_mask).t()


def get_inputs():
    return [torch.randn(64, 512)]


def get_init_inputs():
    return [512]
