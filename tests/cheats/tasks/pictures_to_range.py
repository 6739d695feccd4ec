"""Pictures whose darkest number becomes zero, and the brightest one."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        x = x.float()
        least, most = x.amin((1, 2), keepdim=True), x.amax((1, 2), keepdim=True)
        return (x - least) / (most - least).clamp_min(1)


def get_inputs():
    return [torch.randint(0, 256, (8, 64, 64), dtype=torch.uint8)]


def get_init_inputs():
    return []
