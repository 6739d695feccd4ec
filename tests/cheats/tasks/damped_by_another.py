"""A layer, damped by how alike its weight and another one are."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(512, 512) / 16)
        self.other = nn.Parameter(torch.randn(512, 512) / 16)

    def forward(self, x):
        alike = nn.functional.cosine_similarity(self.weight.flatten(), self.other.flatten(), dim=0)
        return x @ self.weight.T * (1 - alike.square())


def get_inputs():
    return [torch.randn(2, 512)]


def get_init_inputs():
    return []
