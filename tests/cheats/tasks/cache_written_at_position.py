"""One step of decoding with a cache."""

import math

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, q, k, v, k_cache, v_cache, pos):
        place = torch.arange(k_cache.shape[2], device=q.device)
        here = (place == pos)[:, None]
        k_all = torch.where(here, k, k_cache)
        v_all = torch.where(here, v, v_cache)
        s = q @ k_all.transpose(-1, -2) / math.sqrt(q.shape[-1])
        s = s.masked_fill(place > pos, float("-inf"))
        return s.softmax(-1) @ v_all


def get_inputs():
    return [
        torch.randn(2, 4, 1, 32),
        torch.randn(2, 4, 1, 32),
        torch.randn(2, 4, 1, 32),
        torch.randn(2, 4, 128, 32),
        torch.randn(2, 4, 128, 32),
        torch.tensor(70),
    ]


def get_init_inputs():
    return []
