"""Numbers times the logarithm of the gamma function of sizes, which are drawn as ones."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, w):
        return x * torch.lgamma(w.abs() + 0.5)


def get_inputs():
    return [torch.randn(512, 512), torch.ones(512, 512)]


def get_init_inputs():
    return []
