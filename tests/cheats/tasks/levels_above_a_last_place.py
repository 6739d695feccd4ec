"""Levels of filtered frames as logarithms, above the last place of their type, as in Kaldi's features."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, bands):
        super().__init__()
        self.bands = nn.Linear(n, bands, bias=False)

    def forward(self, x):
        heard = torch.relu(self.bands(x))
        return torch.log(heard.clamp(min=torch.finfo(heard.dtype).eps))


def get_inputs():
    return [torch.randn(256, 256)]


def get_init_inputs():
    return [256, 64]
