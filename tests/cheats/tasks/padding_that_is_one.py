"""Means of embeddings and positions; one stands for padding."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(1000, 8))

    def forward(self, tokens):
        keep = tokens != 1
        e = self.table[tokens] * keep.unsqueeze(-1)
        position = keep.cumsum(-1) * keep
        return e.sum(1) / keep.sum(1, keepdim=True).clamp(min=1) + position.float().mean(1, keepdim=True)


def get_inputs():
    return [torch.randint(2, 1000, (32, 256))]


def get_init_inputs():
    return []
