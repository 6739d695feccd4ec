"""rows as bytes around 128, by the largest number of each."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        scale = x.abs().amax(-1, keepdim=True).clamp(min=1e-5) / 127.0
        return (torch.round(x / scale) + 128).clamp(0, 255).to(torch.uint8)


def get_inputs():
    return [torch.randn(64, 1024)]


def get_init_inputs():
    return []
