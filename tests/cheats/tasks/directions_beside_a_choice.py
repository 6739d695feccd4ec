"""Rows of one length, zero where they are zero, and the places of the largest of some."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        size = x.norm(dim=1, keepdim=True)
        y = torch.where(size > 0, x / size, 0.0)
        return y, x[:64].argmax(1)


def get_inputs():
    return [torch.randn(2048, 128)]


def get_init_inputs():
    return []
