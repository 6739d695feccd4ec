"""A step of gradient descent with momentum, at a rate that rises for 2,000 steps, and falls after that."""

import math

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, warmup=2000, total=100000):
        super().__init__()
        self.warmup, self.total = warmup, total

    def forward(self, weight, grad, momentum, step):
        progress = ((step - self.warmup) / (self.total - self.warmup)).clamp(0, 1)
        rate = torch.where(step < self.warmup, step / self.warmup, 0.5 + 0.5 * torch.cos(math.pi * progress))
        momentum = 0.9 * momentum + 0.1 * grad.clamp(-1, 1)
        return weight * (1 - 1e-4 * rate) - rate * momentum, momentum


def get_inputs():
    n = 1 << 17
    return [torch.randn(n), torch.randn(n), torch.randn(n), torch.randint(20000, 90000, ())]


def get_init_inputs():
    return []
