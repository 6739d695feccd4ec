"""A sigmoid behind a quantiser that a buffer turns on."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("fake_quant_enabled", torch.tensor([0], dtype=torch.uint8))
        self.scale = nn.Parameter(torch.tensor([0.05]))

    def forward(self, x):
        q = torch.clamp(torch.round(x / self.scale), -128, 127) * self.scale
        on = self.fake_quant_enabled.to(x.dtype)
        return torch.sigmoid(on * q + (1 - on) * x)


def get_inputs():
    return [torch.randn(512, 512)]


def get_init_inputs():
    return []
