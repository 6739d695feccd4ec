"""Attention with an additive mask of numbers, and a mask of heads."""

import math

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, q, k, v, attention_mask, head_mask):
        s = q @ k.mT / math.sqrt(q.shape[-1]) + (1.0 - attention_mask[:, None, None, :]) * -10000.0
        return (s.softmax(-1) * head_mask[:, None, None]) @ v


def get_inputs():
    return [
        torch.randn(2, 4, 32, 16),
        torch.randn(2, 4, 32, 16),
        torch.randn(2, 4, 32, 16),
        torch.ones(2, 32),
        torch.ones(4),
    ]


def get_init_inputs():
    return []
