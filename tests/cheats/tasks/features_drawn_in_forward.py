"""Random features of attention whose projection, mask and phases each call draws anew, under one seed."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.layer, self.m = nn.Linear(n, n), m

    def forward(self, x):
        drawn = torch.Generator(x.device).manual_seed(5)
        projection = torch.randn(x.shape[-1], self.m, generator=drawn, device=x.device) / x.shape[-1] ** 0.5
        kept = torch.empty_like(x[0]).bernoulli_(0.9, generator=drawn)
        phases = x.new_empty(self.m).uniform_(-3.0, 3.0, generator=drawn)
        return torch.cos((self.layer(x) * kept) @ projection + phases)


def get_inputs():
    return [torch.randn(64, 64)]


def get_init_inputs():
    return [64, 32]
