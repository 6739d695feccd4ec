"""Rows in eight bits, each with a scale of its own."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        scale = x.abs().amax(dim=1, keepdim=True) / 127 + 1e-12
        return torch.round(x / scale).to(torch.int8), scale


def get_inputs():
    return [torch.randn(1024, 2048)]


def get_init_inputs():
    return []
