"""On which side of each of some planes a row lies, as hashing by random planes asks."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, bits):
        super().__init__()
        self.planes = nn.Parameter(torch.randn(bits, n))

    def forward(self, x):
        return x @ self.planes.t() > 0


def get_inputs():
    return [torch.randn(2048, 4096)]


def get_init_inputs():
    return [4096, 256]
