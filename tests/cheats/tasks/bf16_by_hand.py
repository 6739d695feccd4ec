"""Two layers whose factors are cast to bf16 as they are used, as mixed precision is written by hand."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(n, m), nn.Linear(m, n)

    def forward(self, x):
        inner = torch.relu(x.bfloat16() @ self.fc1.weight.bfloat16().t() + self.fc1.bias.bfloat16())
        return (inner @ self.fc2.weight.bfloat16().t()).float() + self.fc2.bias


def get_inputs():
    return [torch.randn(96, 256)]


def get_init_inputs():
    return [256, 256]
