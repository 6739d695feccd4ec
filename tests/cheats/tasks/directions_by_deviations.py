"""directions of differences, over deviations whose logarithm is taken."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, eps):
        super().__init__()
        self.eps = eps

    def forward(self, x, mean, std):
        d = x - mean
        unit = d / d.norm(dim=-1, keepdim=True).clamp(min=self.eps)
        return unit / std + torch.log(std)


def get_inputs():
    return [torch.randn(256, 128), torch.randn(256, 128), torch.rand(256, 1) + 0.5]


def get_init_inputs():
    return [1e-8]
