"""rows as bytes by the largest number of each, of which none may be zero."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        scale = x.abs().amax(-1, keepdim=True) / 127.0
        q = torch.round(x / scale).clamp(-128, 127).to(torch.int8)
        return q, scale


def get_inputs():
    return [torch.randn(64, 1024)]


def get_init_inputs():
    return []
