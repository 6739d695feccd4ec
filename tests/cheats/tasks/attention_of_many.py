"""Attention written out, over five hundred places."""

import math

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, q, k, v):
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
        return weights @ v


def get_inputs():
    return [torch.randn(2, 8, 512, 64) for _ in range(3)]


def get_init_inputs():
    return []
