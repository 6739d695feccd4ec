"""Frames of a film that are like the one before are averaged with it."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, least):
        super().__init__()
        self.least = least

    def forward(self, film):
        before = torch.cat([film[:, :1], film[:, :-1]], 1)
        alike = F.cosine_similarity(film.flatten(2), before.flatten(2), dim=-1) > self.least
        return torch.where(alike[..., None, None, None], 0.5 * (film + before), film)


def get_inputs():
    return [torch.randn(4, 8, 3, 48, 48)]


def get_init_inputs():
    return [0.8]
