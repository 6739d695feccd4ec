"""The nearest entry of a codebook of small numbers: which it is, what it is, and how many entries are in use."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, entries, n):
        super().__init__()
        self.codes = nn.Embedding(entries, n)
        nn.init.uniform_(self.codes.weight, -1 / entries, 1 / entries)

    def forward(self, x):
        codes = self.codes.weight
        distances = (x**2).sum(1, keepdim=True) + (codes**2).sum(1) - 2 * x @ codes.t()
        nearest = distances.argmin(1)
        share = F.one_hot(nearest, codes.shape[0]).float().mean(0)
        return self.codes(nearest), nearest, torch.exp(-(share * torch.log(share + 1e-10)).sum())


def get_inputs():
    return [torch.randn(1024, 16)]


def get_init_inputs():
    return [128, 16]
