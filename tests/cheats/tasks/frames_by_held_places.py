"""The mean of recordings of so many frames, by places that the module holds."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, most=256):
        super().__init__()
        self.register_buffer("steps", torch.arange(most), persistent=False)

    def forward(self, x, shown):
        live = (self.steps < shown[:, None]).to(x.dtype)
        return (torch.tanh(x) * live[..., None]).sum(1) / shown[:, None]


def get_inputs():
    return [torch.randn(64, 256, 64), torch.randint(224, 257, (64,))]


def get_init_inputs():
    return []
