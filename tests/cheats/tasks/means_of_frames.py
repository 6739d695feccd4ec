"""Means of as many frames as each video has."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, shown):
        steps = torch.arange(x.shape[1], device=x.device)
        there = (steps < shown[:, None]).to(x.dtype)
        return (x * there[..., None]).sum(1) / there.sum(1, keepdim=True)


def get_inputs():
    return [torch.randn(32, 256, 64), torch.randint(128, 257, (32,))]


def get_init_inputs():
    return []
