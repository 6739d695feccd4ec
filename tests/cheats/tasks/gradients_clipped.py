"""gradients shortened to a norm, unless they are shorter."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, max_norm):
        super().__init__()
        self.max_norm = max_norm

    def forward(self, g1, g2):
        norm = torch.sqrt(g1.pow(2).sum() + g2.pow(2).sum())
        coef = torch.clamp(self.max_norm / (norm + 1e-6), max=1.0)
        return g1 * coef, g2 * coef


def get_inputs():
    return [torch.randn(1024, 512) * 4, torch.randn(512, 256) * 4]


def get_init_inputs():
    return [0.5]
