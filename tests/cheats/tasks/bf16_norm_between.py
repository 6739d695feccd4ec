"""Two layers in bf16 with a norm in float32 between them, a mean over shares, and what the norm gives."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc1, self.fc2, self.norm = nn.Linear(n, n).bfloat16(), nn.Linear(n, n).bfloat16(), nn.LayerNorm(n)

    def forward(self, x):
        h = self.norm(self.fc1(x.bfloat16()).float())
        return self.fc2(h.bfloat16()).float().softmax(-1).mean(-2), h


def get_inputs():
    return [torch.randn(4, 32, 128)]


def get_init_inputs():
    return [128]
