"""On which side of each of a few planes a row lies, in many dimensions."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, bits):
        super().__init__()
        self.planes = nn.Parameter(torch.randn(bits, n))

    def forward(self, x):
        return x @ self.planes.t() > 0


def get_inputs():
    return [torch.randn(96, 8192)]


def get_init_inputs():
    return [8192, 64]
