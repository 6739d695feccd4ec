"""Power of signals without their trend."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        time = torch.linspace(-1, 1, x.shape[-1], device=x.device)
        slope = (x * time).sum(-1, keepdim=True) / time.square().sum()
        return (x - x.mean(-1, keepdim=True) - slope * time).square().mean(-1)


def get_inputs():
    return [torch.randn(8, 65536)]


def get_init_inputs():
    return []
