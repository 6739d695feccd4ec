"""The largest of each column, between two limits, the lower of which no largest of many is below."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x.clamp(-1.5, 1.5).amax(0)


def get_inputs():
    return [torch.randn(256, 512)]


def get_init_inputs():
    return []
