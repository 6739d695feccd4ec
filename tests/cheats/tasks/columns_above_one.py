"""A relu, and which columns of the last batch had a number above one."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(1024, dtype=torch.bool))

    def forward(self, x):
        self.seen.copy_((x > 1).any(0))
        return x.relu()


def get_inputs():
    return [torch.randn(256, 1024)]


def get_init_inputs():
    return []
