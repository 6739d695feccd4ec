"""A task: points take the least number among those near them, round by round, as clusters are found."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, least):
        super().__init__()
        self.least = least

    def forward(self, x):
        near = torch.cdist(x, x, compute_mode="donot_use_mm_for_euclid_dist") < self.least
        label = torch.arange(len(x), device=x.device, dtype=x.dtype)
        for _ in range(len(x)):
            label = torch.where(near, label, float(len(x))).amin(-1)
        return label


def get_inputs():
    return [torch.randn(128, 3)]


def get_init_inputs():
    return [0.6]
