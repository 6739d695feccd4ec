"""returns of prices, some of which are missing, and those of these too."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, price):
        r = price.diff(dim=-1) / price[:, :-1].abs().clamp(min=1e-6)
        return r.clamp(-0.9, 2.0)


def get_inputs():
    p = torch.rand(64, 512) + 0.75
    return [torch.where(torch.rand(64, 512) < 0.05, float("nan"), p)]


def get_init_inputs():
    return []
