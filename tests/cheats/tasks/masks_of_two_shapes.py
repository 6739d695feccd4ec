"""two masks, drawn alike in two shapes, are taken for one."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, present, wanted):
        return x.masked_fill(~present[..., None], 0.0).masked_fill(~wanted, 0.0)


def get_inputs():
    mask = torch.rand(64, 64) > 0.3
    return [torch.randn(64, 64, 128), mask, mask[..., None].clone()]


def get_init_inputs():
    return []
