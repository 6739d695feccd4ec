"""The mean of the embeddings of positions beside other numbers."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, steps, n):
        super().__init__()
        self.table = nn.Embedding(steps, n)

    def forward(self, x, positions):
        return x + self.table(positions).mean(1)


def get_inputs():
    return [torch.randn(16, 256), torch.arange(128).repeat(16, 1)]


def get_init_inputs():
    return [128, 256]
