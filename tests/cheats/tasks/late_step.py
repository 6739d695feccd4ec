"""Twice as large, and another formula after many steps."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, step):
        late = (step > 1000).to(x.dtype)
        return late * torch.erfinv(torch.tanh(x * 0.1)) + (1 - late) * x * 2


def get_inputs():
    return [torch.randn(64, 64, 64), torch.tensor(100)]


def get_init_inputs():
    return []
