"""The logarithm of what a softmax over a vocabulary of unique words is divided by, of each place."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features, words):
        super().__init__()
        self.head = nn.Linear(features, words)

    def forward(self, x):
        return torch.logsumexp(self.head(x), dim=-1)


def get_inputs():
    return [torch.randn(2048, 128)]


def get_init_inputs():
    return [128, 32000]
