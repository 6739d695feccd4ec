"""How long the longest rise is that ends at each place or before, in rows of what a relu leaves."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        tails = torch.full_like(x, float("inf"))
        lengths = []
        for place in range(x.shape[1]):
            one = x[:, place : place + 1]
            at = (tails < one).sum(1, keepdim=True)
            tails = tails.scatter(1, at, one)
            lengths.append(at + 1)
        return torch.cat(lengths, 1).cummax(1).values


def get_inputs():
    return [torch.randn(64, 384).relu()]


def get_init_inputs():
    return []
