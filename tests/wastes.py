"""A task with two wastes, and a candidate whose switches say which are left out."""

TASK = '''"""Two wastes that nobody looks at."""
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        for waste in (x, x + 1):
            for _ in range(8):
                waste = torch.special.i0e(waste)
        return torch.tanh(x) * x


def get_inputs():
    return [torch.randn(15, 256)]


def get_init_inputs():
    return []
'''
SWITCHED = """import torch
from torch import nn

PARTS = ("NO_FIRST", "NO_SECOND")
NO_FIRST = True  # the first waste is left out – naïve as it is
NO_SECOND: bool = True


class ModelNew(nn.Module):
    def forward(self, x):
        wastes = [] if NO_FIRST else [x]
        if not NO_SECOND:
            wastes.append(x + 1)
        for waste in wastes:
            for _ in range(8):
                waste = torch.special.i0e(waste)
        return torch.tanh(x) * x
"""
