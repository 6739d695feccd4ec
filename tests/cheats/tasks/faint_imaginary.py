"""Complex numbers whose imaginary part is ten million times smaller."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        return torch.complex(x.cosh(), 1e-7 * y.sin().cosh())


def get_inputs():
    return [torch.randn(256, 512), torch.randn(256, 512)]


def get_init_inputs():
    return []
