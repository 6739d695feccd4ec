"""Causal attention by hand: scores, scale, mask, softmax, weighted sum, each as its own operation.

What is slow: the scores, STEPS x STEPS of them for every head, are written to memory and read back at every step of the
way, and the half that the mask hides is computed too. The mask is built anew in each call.
What a good engineer does: `scaled_dot_product_attention(q, k, v, is_causal=True)`, which keeps a tile of scores
in cache.
"""

import math

import torch
from torch import nn

SIZES = {"cpu": {"BATCH": 1, "STEPS": 1024}, "cuda": {"BATCH": 16, "STEPS": 2048}}
BATCH = 1
HEADS = 8
STEPS = 1024
WIDTH = 64


class Model(nn.Module):
    """Takes q, k, v, each (BATCH, HEADS, STEPS, WIDTH); returns the same shape. A step sees itself and those before."""

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        steps = q.shape[-2]
        future = torch.ones(steps, steps, dtype=torch.bool, device=q.device).triu(1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        scores = scores.masked_fill(future, float("-inf"))
        return torch.softmax(scores, dim=-1) @ v


def get_inputs():
    return [torch.randn(BATCH, HEADS, STEPS, WIDTH) for _ in range(3)]


def get_init_inputs():
    return []
