"""Cepstra of frames: their energies in bands as decibels, a cosine transform, and a weight for each coefficient."""

import math

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, bins, bands, kept):
        super().__init__()
        where = torch.linspace(0, bands + 1, bins)[:, None] - torch.arange(1, bands + 1)
        self.register_buffer("bands", (1 - where.abs()).clamp(min=0), persistent=False)
        waves = torch.cos(math.pi / bands * (torch.arange(bands)[:, None] + 0.5) * torch.arange(kept))
        self.register_buffer("waves", waves * math.sqrt(2 / bands), persistent=False)
        lifted = 1 + 11 * torch.sin(math.pi * torch.arange(kept) / 22)
        self.register_buffer("lifted", lifted, persistent=False)

    def forward(self, frames):
        power = torch.fft.rfft(frames).abs() ** 2
        decibels = 10 * torch.log10(torch.clamp(power @ self.bands, min=1e-10))
        return (decibels @ self.waves) * self.lifted


def get_inputs():
    return [torch.randn(8, 96, 256)]


def get_init_inputs():
    return [129, 40, 13]
