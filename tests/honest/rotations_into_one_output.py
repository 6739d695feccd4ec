"""fusion: rotations are written into one output."""

import torch
import torch.nn as nn

TASK = "rotations_scaled_by_length"
STATUS = "PASSED"


class ModelNew(nn.Module):
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
            out = torch.empty_like(x)
            h = self.dim // 2
            torch.addcmul(x1 * cos, x2, sin, value=-1, out=out[..., :h])
            torch.addcmul(x2 * cos, x1, sin, out=out[..., h : self.dim])
            out[..., self.dim :] = rest
            return out

        return turn(q), turn(k)
