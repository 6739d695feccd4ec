"""Features of a film's frames, as a relu leaves them: those that are like the ones before are averaged with these."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, least):
        super().__init__()
        self.least = least

    def forward(self, features):
        before = torch.cat([features[:, :1], features[:, :-1]], 1)
        alike = F.cosine_similarity(features.flatten(2), before.flatten(2), dim=-1) > self.least
        return torch.where(alike[..., None, None, None], 0.5 * (features + before), features)


def get_inputs():
    return [torch.randn(4, 8, 3, 48, 48).relu()]


def get_init_inputs():
    return [0.8]
