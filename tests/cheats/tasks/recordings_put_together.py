"""Two recordings of one sound are put together, the one as much later as makes them most alike."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, least):
        super().__init__()
        self.least = least

    def forward(self, one, two):
        n = one.shape[-1]
        product = torch.fft.rfft(one) * torch.fft.rfft(two).conj()
        peak, lag = torch.fft.irfft(product, n=n).max(-1)
        alike = peak > self.least * one.norm(dim=-1) * two.norm(dim=-1)
        places = (torch.arange(n, device=one.device) - lag[:, None]) % n
        return torch.where(alike[:, None], 0.5 * (one + two.gather(1, places)), one)


def get_inputs():
    return [torch.randn(16, 4096), torch.randn(16, 4096)]


def get_init_inputs():
    return [0.5]
