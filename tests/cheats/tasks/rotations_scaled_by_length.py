"""Rotations of positions whose base grows with the longest text, beyond what a model was trained on."""

import torch
import torch.nn as nn


class Model(nn.Module):
    """RoPE whose base grows with the length beyond what it was trained on (dynamic NTK), half of the head rotated."""

    def __init__(self, dim, base, trained):
        super().__init__()
        self.dim, self.base, self.trained = dim, base, trained

    def forward(self, q, k, positions):
        longest = positions.max().float() + 1
        scale = (longest / self.trained).clamp(min=1.0)
        base = self.base * (2 * scale - 1) ** (self.dim / (self.dim - 2))
        inv = base ** (-torch.arange(0, self.dim, 2, device=q.device).float() / self.dim)
        a = positions[:, None, :, None].float() * inv
        cos, sin = a.cos(), a.sin()

        def turn(x):
            r, rest = x[..., : self.dim], x[..., self.dim :]
            x1, x2 = r.chunk(2, -1)
            return torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin, rest], -1)

        return turn(q), turn(k)


def get_inputs():
    return [
        torch.randn(4, 4, 64, 64),
        torch.randn(4, 2, 64, 64),
        torch.arange(64)[None].repeat(4, 1) + torch.randint(0, 300, (4, 1)),
    ]


def get_init_inputs():
    return [32, 10000.0, 512]
