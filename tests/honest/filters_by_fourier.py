"""algebra: long filters by Fourier transforms of twice their reach."""

import torch
import torch.nn as nn

TASK = "causal_filters"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, channels, taps):
        super().__init__()
        self.filters = nn.Parameter(torch.randn(channels, 1, taps) / taps**0.5)

    def forward(self, x):
        steps, taps = x.shape[-1], self.filters.shape[-1]
        size = 1 << (steps + taps - 2).bit_length()
        product = torch.fft.rfft(x, n=size) * torch.fft.rfft(self.filters[:, 0].flip(-1), n=size)
        return torch.fft.irfft(product, n=size)[..., :steps]
