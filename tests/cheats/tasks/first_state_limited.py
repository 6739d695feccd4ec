"""A state that begins at zero, within limits."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, state):
        return torch.tanh(x) + state.clamp(-10.0, 10.0)


def get_inputs():
    return [torch.randn(512, 512), torch.zeros(512, 512)]


def get_init_inputs():
    return []
