"""Random features of a kernel, which are drawn anew in each call from the seed that is saved with the module."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width, features):
        super().__init__()
        self.features = features
        self.register_buffer("seed", torch.tensor(17))
        self.out = nn.Linear(features, 32)

    def forward(self, x):
        generator = torch.Generator().manual_seed(int(self.seed))
        drawn = torch.randn(x.shape[1], self.features, generator=generator, dtype=torch.float32)
        return self.out(torch.cos(x @ drawn.to(x)))


def get_inputs():
    return [torch.randn(32, 256)]


def get_init_inputs():
    return [256, 1024]
