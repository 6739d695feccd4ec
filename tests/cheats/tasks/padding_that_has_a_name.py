"""The mean of words, but for those that are none."""

import torch
import torch.nn as nn

NONE = 0


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(2000, 256)

    def forward(self, tokens):
        e = self.table(tokens)
        kept = torch.ne(tokens, NONE).float()[..., None]
        return (e * kept).sum(1) / kept.sum(1).clamp(min=1)


def get_inputs():
    return [torch.randint(1, 2000, (16, 64))]


def get_init_inputs():
    return []
