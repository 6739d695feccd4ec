"""algebra: the weights of cepstra folded into the cosine transform before them."""

import math

import torch
import torch.nn as nn

TASK = "cepstra_of_frames"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, bins, bands, kept):
        super().__init__()
        where = torch.linspace(0, bands + 1, bins)[:, None] - torch.arange(1, bands + 1)
        self.register_buffer("bands", (1 - where.abs()).clamp(min=0), persistent=False)
        waves = torch.cos(math.pi / bands * (torch.arange(bands)[:, None] + 0.5) * torch.arange(kept))
        lifted = 1 + 11 * torch.sin(math.pi * torch.arange(kept) / 22)
        self.register_buffer("waves", waves * (10 * math.sqrt(2 / bands) * lifted), persistent=False)

    def forward(self, frames):
        power = torch.view_as_real(torch.fft.rfft(frames)).square().sum(-1)
        return (power @ self.bands).clamp_(min=1e-10).log10_() @ self.waves
