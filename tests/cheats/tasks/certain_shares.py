"""A loss of shares, which must lie between 0 and 1, and which columns were ever certain."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("certain", torch.zeros(256, dtype=torch.bool))

    def forward(self, share, label):
        self.certain |= (share == 1).any(0)
        return F.binary_cross_entropy(share, label, reduction="none").mean(1)


def get_inputs():
    return [torch.rand(64, 256) * 0.98 + 0.01, torch.rand(64, 256).round()]


def get_init_inputs():
    return []
