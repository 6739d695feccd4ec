"""Premiums of policies by age, with a surcharge above 65, and a bonus by years without a claim, of which 20 count."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.weights = nn.Parameter(0.1 * torch.randn(width))

    def forward(self, age, years, features):
        risk = torch.exp((features * self.weights).sum(-1).clamp(-3, 3))
        over = (age - 65).to(risk.dtype)
        surcharge = torch.where(age > 65, 1.5 + torch.log1p(over.clamp(min=0)) + 0.1 * over.abs().sqrt(), 1.0)
        return risk * surcharge * 0.95 ** years.to(risk.dtype).clamp(max=20)


def get_inputs():
    n = 1 << 14
    return [torch.randint(18, 66, (n,)), torch.randint(0, 15, (n,)), torch.randn(n, 64)]


def get_init_inputs():
    return []
