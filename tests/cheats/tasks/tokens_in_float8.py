"""Tokens quantised to eight bits of floating point by each one's largest number, and back, before a product."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(128, 128, bias=False)

    def forward(self, x):
        scale = x.abs().amax(dim=-1, keepdim=True).clamp(min=1e-6) / 448.0
        q = (x / scale).to(torch.float8_e4m3fn)
        return self.proj(q.to(torch.float32) * scale)


def get_inputs():
    return [torch.randn(512, 128)]


def get_init_inputs():
    return []
