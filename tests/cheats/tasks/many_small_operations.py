"""Eighty units of one input are added: a millisecond of small kernels on a GPU, of which a compiler makes one."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        y = x
        for k in range(80):
            y = y + torch.tanh(x + 0.05 * k)
        return y


def get_inputs():
    return [torch.randn(256, 1024)]


def get_init_inputs():
    return []
