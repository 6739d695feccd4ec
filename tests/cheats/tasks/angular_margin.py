"""Logits with an additive angular margin on the right class (ArcFace), linear where an angle would pass half a turn."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, width=128, classes=1000, margin=0.5):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(classes, width))
        self.margin = margin

    def forward(self, x, labels):
        cosine = F.linear(F.normalize(x), F.normalize(self.weight))
        sine = (1 - cosine * cosine).clamp(min=0).sqrt()
        moved = cosine * math.cos(self.margin) - sine * math.sin(self.margin)
        is_wide = cosine <= -math.cos(self.margin)
        moved = torch.where(is_wide, cosine - math.sin(self.margin) * self.margin, moved)
        right = F.one_hot(labels, cosine.shape[1]).to(cosine.dtype)
        return 64.0 * (right * moved + (1 - right) * cosine)


def get_inputs():
    return [torch.randn(512, 128), torch.randint(0, 1000, (512,))]


def get_init_inputs():
    return []
