"""state: tables in persistent buffers, as register_buffer makes them, beside the reference's own weight."""

import torch
import torch.nn as nn

TASK = "rotary_scaled"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(n))
        angle = torch.outer(torch.arange(256.0), 100.0 ** (-torch.arange(0, n, 2) / n))
        self.register_buffer("rotation_real", angle.cos())
        self.register_buffer("rotation_imaginary", angle.sin())

    def forward(self, x):
        pairs = torch.view_as_complex((x * self.scale).unflatten(-1, (-1, 2)))
        rotation = torch.complex(self.rotation_real, self.rotation_imaginary)
        return torch.view_as_real(pairs * rotation).flatten(-2)
