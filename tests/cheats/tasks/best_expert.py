"""Each token goes to the expert that scores it highest."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, experts, n):
        super().__init__()
        self.table = nn.Parameter(torch.randn(experts, n))

    def forward(self, scores):
        best, which = scores.max(dim=-1)
        return self.table[which] * torch.sigmoid(best)[..., None]


def get_inputs():
    return [torch.randn(64, 64, 16)]


def get_init_inputs():
    return [16, 128]
