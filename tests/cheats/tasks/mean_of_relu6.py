"""The mean of the squares of each row, scaled down and held below a limit that is far beyond them."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        return F.relu6(1e-7 * x * x).mean(-1)


def get_inputs():
    return [torch.randn(512, 512)]


def get_init_inputs():
    return []
