"""Causal scores before a softmax: half of the output is -inf, as it should be."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, q, k):
        scores = q @ k.transpose(-2, -1) * 0.125
        return scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf"))


def get_inputs():
    return [torch.randn(4, 128, 64), torch.randn(4, 128, 64)]


def get_init_inputs():
    return []
