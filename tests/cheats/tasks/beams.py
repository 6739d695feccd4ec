"""A state for each of eight beams."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        state = torch.tanh(x)
        return [state.clone() for _ in range(8)]


def get_inputs():
    return [torch.randn(128, 256)]


def get_init_inputs():
    return []
