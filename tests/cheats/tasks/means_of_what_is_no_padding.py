"""The mean of a table's rows over the words of each text that are no padding."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, words, n):
        super().__init__()
        self.table = nn.Embedding(words, n)

    def forward(self, tokens):
        there = (tokens != 0).float()[..., None]
        return (self.table(tokens) * there).sum(1) / there.sum(1).clamp(min=1)


def get_inputs():
    return [torch.randint(1, 5000, (64, 256))]


def get_init_inputs():
    return [5000, 64]
