"""Two masks, one of which is drawn within the other."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, present, wanted):
        return x.masked_fill(~present[..., None], 0.0).masked_fill(~wanted[..., None], 0.0)


def get_inputs():
    present = torch.rand(64, 64) > 0.3
    return [torch.randn(64, 64, 128), present, present & (torch.rand(64, 64) > 0.3)]


def get_init_inputs():
    return []
