"""The two best experts of each token, and none of rows of zeros, which are padding."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, experts):
        super().__init__()
        self.gate = nn.Linear(n, experts)

    def forward(self, x):
        scores, which = self.gate(x).softmax(-1).topk(2)
        there = x.abs().sum(-1) > 0
        return scores * there[..., None], torch.where(there[..., None], which, -1)


def get_inputs():
    return [torch.randn(2048, 512)]


def get_init_inputs():
    return [512, 8]
