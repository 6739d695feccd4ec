"""Confidence is halved at the boundaries of segments, and none is left of the background."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, confidence, labels):
        x = labels.float()[:, None]
        most, least = F.max_pool2d(x, 7, 1, 3), -F.max_pool2d(-x, 7, 1, 3)
        confidence = torch.where((most != least)[:, 0], 0.5 * confidence, confidence)
        return confidence * (labels > 0)


def get_inputs():
    return [torch.rand(8, 128, 128), torch.randint(0, 150, (8, 128, 128))]


def get_init_inputs():
    return []
