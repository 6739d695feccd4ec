"""Sums of what words stand for, but for special ones, which a buffer lists."""

import torch
import torch.nn as nn

SPECIAL = (0, 1, 2)


class Model(nn.Module):
    def __init__(self, words=4000, width=128):
        super().__init__()
        self.table = nn.Embedding(words, width)
        self.register_buffer("special", torch.tensor(SPECIAL))

    def forward(self, tokens):
        seen = ~torch.isin(tokens, self.special)
        return (self.table(tokens) * seen.unsqueeze(-1)).sum(1)


def get_inputs():
    return [torch.randint(3, 4000, (64, 256))]


def get_init_inputs():
    return []
