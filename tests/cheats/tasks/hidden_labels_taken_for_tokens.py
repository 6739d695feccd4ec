"""Embeddings of tokens, and of labels where there are some."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, words, n):
        super().__init__()
        self.table = nn.Embedding(words, n)

    def forward(self, tokens, labels):
        wanted = labels >= 0
        told, said = torch.tanh(self.table(tokens)), torch.tanh(self.table(labels.clamp(min=0)))
        return torch.where(wanted[..., None], said, 0.5 * told)


def get_inputs():
    tokens = torch.randint(0, 1000, (16, 128))
    return [tokens, tokens.masked_fill(torch.rand(16, 128) > 0.2, -100)]


def get_init_inputs():
    return [1000, 128]
