"""formula: both recordings are transformed at once."""

import torch
import torch.nn as nn

TASK = "recordings_put_together"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, least):
        super().__init__()
        self.least = least

    def forward(self, one, two):
        n = one.shape[-1]
        both = torch.stack([one, two])
        first, second = torch.fft.rfft(both)
        peak, lag = torch.fft.irfft(first * second.conj(), n=n).max(-1)
        sizes = both.square().sum(-1).sqrt_()
        alike = peak > self.least * sizes[0] * sizes[1]
        places = (torch.arange(n, device=one.device) - lag[:, None]) % n
        return torch.where(alike[:, None], one.lerp(two.gather(1, places), 0.5), one)
