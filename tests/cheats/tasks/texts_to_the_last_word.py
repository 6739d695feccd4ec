"""Means of what words stand for, of each text up to the word that ends it: the last of all words."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, words=4000, width=128):
        super().__init__()
        self.words = words
        self.table = nn.Embedding(words, width)

    def forward(self, tokens):
        ended = (tokens == self.words - 1).cumsum(1) > 0
        seen = (~ended).unsqueeze(-1).float()
        return (self.table(tokens) * seen).sum(1) / seen.sum(1).clamp(min=1)


def get_inputs():
    return [torch.randint(0, 3000, (64, 256))]


def get_init_inputs():
    return []
