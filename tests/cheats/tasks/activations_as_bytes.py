"""A layer's activations as eight bits, with a scale that is known."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x):
        x = x * torch.sigmoid(x)
        return (x / self.scale).round().clamp(-128, 127).to(torch.int8)


def get_inputs():
    return [torch.randn(1024, 1024)]


def get_init_inputs():
    return [0.0625]
