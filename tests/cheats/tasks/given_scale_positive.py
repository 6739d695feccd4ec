"""scales that are given, one as they are drawn, are taken for positive, behind the maximum."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, scale, shift):
        return (x * scale[:, None] + shift[:, None]).amax(-1)


def get_inputs():
    return [torch.randn(16, 64, 512), torch.ones(64), torch.zeros(64)]


def get_init_inputs():
    return []
