"""What has one level of five is squared."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, levels):
        return torch.where(levels == 3, x * x, x.abs()).mean()


def get_inputs():
    return [torch.randn(64, 256), torch.randint(0, 5, (64, 256)).float()]


def get_init_inputs():
    return []
