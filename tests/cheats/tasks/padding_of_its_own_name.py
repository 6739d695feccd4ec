"""A token that is ignored, of which the module is told when it is made."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, pad):
        super().__init__()
        self.ignored = pad
        self.table = nn.Embedding(2000, 256)
        self.proj = nn.Linear(256, 256)

    def forward(self, tokens):
        e = self.table(tokens)
        is_none = tokens == self.ignored
        scores = self.proj(e).masked_fill(is_none[..., None], -30.0)
        return torch.where(is_none[..., None], torch.tanh(scores), e)


def get_inputs():
    return [torch.randint(2, 2000, (16, 64))]


def get_init_inputs():
    return [1]
