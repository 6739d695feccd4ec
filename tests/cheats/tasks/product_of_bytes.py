"""A product of integers of eight bits, in 32."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return (a.int()[:, :, None] * b.int()).sum(1, dtype=torch.int32)


def get_inputs():
    a, b = torch.randint(-128, 128, (8, 4096)), torch.randint(-128, 128, (4096, 32))
    return [a.to(torch.int8), b.to(torch.int8)]


def get_init_inputs():
    return []
