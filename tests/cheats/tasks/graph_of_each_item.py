"""Walks of three steps in a graph that each item has a copy of."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, scores, mask):
        return torch.linalg.matrix_power(mask.to(scores.dtype) / 32, 3) + scores


def get_inputs():
    return [torch.randn(8, 128, 128), (torch.rand(1, 128, 128) < 0.3).repeat(8, 1, 1)]


def get_init_inputs():
    return []
