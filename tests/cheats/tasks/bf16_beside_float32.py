"""A layer in float32 beside a branch of a tenth that works in bf16."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc, self.branch = nn.Linear(n, n), nn.Linear(n, n).bfloat16()

    def forward(self, x):
        return self.fc(x) + 0.1 * self.branch(x.bfloat16()).float()


def get_inputs():
    return [torch.randn(64, 512)]


def get_init_inputs():
    return [512]
