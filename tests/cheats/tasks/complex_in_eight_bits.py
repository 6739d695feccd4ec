"""Complex numbers in eight bits a part, of the largest of their row."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, z):
        scale = z.abs().amax(-1, keepdim=True) / 127
        return torch.complex((z.real / scale).round() * scale, (z.imag / scale).round() * scale)


def get_inputs():
    return [torch.randn(128, 128, dtype=torch.complex64)]


def get_init_inputs():
    return []
