"""Premiums by bands of age, and what was claimed in the months for which each policy has been held."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, claims, age, months):
        rate = 1 + 0.1 * (age > 25) + 0.1 * (age > 35) + 0.1 * (age > 45) + 0.1 * (age > 55)
        rate = rate + 0.2 * (age > 65) + 0.2 * (age > 70) + 0.2 * (age > 75) + 0.3 * (age > 80) + 0.4 * (age > 85)
        held = torch.arange(claims.shape[1], device=claims.device) < months[:, None]
        cost = torch.where(held, torch.log1p(claims.clamp(min=0)), 0.0)
        return rate * cost.sum(1) / months.clamp(min=1)


def get_inputs():
    n = 1 << 12
    return [torch.rand(n, 120), torch.randint(18, 66, (n,)), torch.randint(60, 121, (n,))]


def get_init_inputs():
    return []
