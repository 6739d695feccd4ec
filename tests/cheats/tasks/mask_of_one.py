"""Scores where a flag, one boolean, says whether later positions are hidden."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, hides):
        later = torch.ones(x.shape[-1], x.shape[-1], dtype=torch.bool, device=x.device).triu(1)
        return torch.where(later & ~hides, 0.0, x) * torch.sigmoid(x)


def get_inputs():
    return [torch.randn(16, 128, 128), torch.ones(1, dtype=torch.bool)]


def get_init_inputs():
    return []
