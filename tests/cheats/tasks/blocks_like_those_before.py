"""Blocks of a picture in bytes that are nearly those of the one before stay as they were there."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, most):
        super().__init__()
        self.most = most

    def forward(self, before, now):
        off = (before.int() - now.int()).abs().float()
        same = F.avg_pool2d(off, 8) < self.most
        same = same.repeat_interleave(8, -1).repeat_interleave(8, -2)
        return torch.where(same, before, now)


def get_inputs():
    shape = (8, 3, 96, 96)
    return [torch.randint(0, 256, shape, dtype=torch.uint8), torch.randint(0, 256, shape, dtype=torch.uint8)]


def get_init_inputs():
    return [2.0]
