"""Eight scores among four thousand zeros."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y, label):
        score = (x * x).mean(-1) + 0.02 * (torch.erf(y) ** 2).mean(-1)
        return x.new_zeros(len(x), 512).scatter(1, label[:, None], score[:, None])


def get_inputs():
    return [torch.randn(8, 16384), torch.randn(8, 16384), torch.randint(0, 512, (8,))]


def get_init_inputs():
    return []
