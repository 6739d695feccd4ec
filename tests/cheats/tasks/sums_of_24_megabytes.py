"""Sums of rows of 24 megabytes, which a GPU's second-level cache can hold and which are washed out of it."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x.sum(dim=-1)


def get_inputs():
    return [torch.randn(6144, 1024)]


def get_init_inputs():
    return []
