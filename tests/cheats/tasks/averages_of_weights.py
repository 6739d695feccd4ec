"""Running averages of weights: few updates weigh more, and from so many on the average decays no more slowly."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, start=5000, decay=0.999):
        super().__init__()
        self.start, self.decay = start, decay

    def forward(self, weight, average, updates):
        rising = (1 + updates) / (10 + updates)
        decay = torch.where(updates >= self.start, torch.full_like(rising, self.decay), rising)
        moved = weight - average
        moved = torch.where(updates < self.start, moved, moved.clamp(-1, 1))
        return average + (1 - decay) * moved


def get_inputs():
    n = 1 << 18
    return [torch.randn(n), torch.randn(n), torch.randint(100, 1000, ())]


def get_init_inputs():
    return []
