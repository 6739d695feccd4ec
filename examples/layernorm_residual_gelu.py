"""Residual sum, layer norm and GELU of a transformer block, each elementwise step as its own operation.

What is slow: about fifteen passes over the activations where two would do. The arithmetic is almost free; the time is
memory traffic, and on a GPU also a launch for each pass.
What a good engineer does: one fused pass that holds a row in registers, or at least `F.layer_norm` and `F.gelu`.
"""

import math

import torch
from torch import nn

SIZES = {"cpu": {"TOKENS": 4096, "WIDTH": 768}, "cuda": {"TOKENS": 32768, "WIDTH": 1024}}
TOKENS = 4096
WIDTH = 768


class Model(nn.Module):
    """Takes x and residual, each (TOKENS, WIDTH); returns gelu(layer_norm(x + residual)) of the same shape."""

    def __init__(self, width: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        x = x + residual
        mean = x.mean(dim=-1, keepdim=True)
        variance = ((x - mean) ** 2).mean(dim=-1, keepdim=True)
        x = (x - mean) / torch.sqrt(variance + self.eps)
        x = x * self.weight + self.bias
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3))))


def get_inputs():
    return [torch.randn(TOKENS, WIDTH), torch.randn(TOKENS, WIDTH)]


def get_init_inputs():
    return [WIDTH]
