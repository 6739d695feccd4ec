"""What a portfolio earns: of its assets' returns those beyond 1,000 are broken ticks, and count nothing."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, returns, weights):
        broken = returns.abs() >= 1000.0
        returns = returns.clone()
        returns[broken] = 0
        return torch.einsum("btn,bn->bt", returns, weights).cumsum(1)


def get_inputs():
    return [0.02 * torch.randn(32, 128, 256), torch.softmax(torch.randn(32, 256), -1)]


def get_init_inputs():
    return []
