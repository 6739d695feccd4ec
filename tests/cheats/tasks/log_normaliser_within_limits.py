"""The logarithm of a sum of exponentials less a threshold that is learned, within limits."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(256, 256)
        self.threshold = nn.Parameter(torch.full((1, 1), 0.4))

    def forward(self, x):
        y = torch.logsumexp(self.proj(x), dim=1, keepdim=True)
        return torch.clamp(x * torch.sigmoid(y - 3) - self.threshold, min=-1.5, max=1.5) + y


def get_inputs():
    return [torch.rand(512, 256)]


def get_init_inputs():
    return []
