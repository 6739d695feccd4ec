"""A product with a small float."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(256, 256).to(torch.float8_e4m3fn), requires_grad=False)

    def forward(self, x):
        return x @ self.scale.to(x.dtype)


def get_inputs():
    return [torch.randn(64, 256)]


def get_init_inputs():
    return []
