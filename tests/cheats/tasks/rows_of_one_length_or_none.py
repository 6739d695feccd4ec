"""Products with rows of one length, where a row of zeros stays zero."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(1024, 128))

    def forward(self, x):
        size = self.weight.norm(dim=1, keepdim=True)
        return x @ torch.where(size > 0, self.weight / size, 0.0).T


def get_inputs():
    return [torch.randn(4, 128)]


def get_init_inputs():
    return []
