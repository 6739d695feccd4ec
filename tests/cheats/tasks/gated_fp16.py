"""A gate by SiLU, under a fp16 contract."""

import torch
import torch.nn as nn

PRECISION = "fp16"


class Model(nn.Module):
    def forward(self, x, gate):
        return nn.functional.silu(gate) * x


def get_inputs():
    return [torch.randn(2048, 1024), torch.randn(2048, 1024)]


def get_init_inputs():
    return []
