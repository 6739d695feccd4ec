"""How long runs of a word are, weighed by what the class of a text says of it."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, classes, words):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(classes, words))

    def forward(self, tokens, label):
        length = torch.ones_like(tokens, dtype=torch.float32)
        for _ in range(48):
            same = F.pad((tokens[:, 1:] == tokens[:, :-1]).float(), (1, 0))
            length = 1 + same * F.pad(length[:, :-1], (1, 0))
        return length * self.weight[label].gather(1, tokens)


def get_inputs():
    return [torch.randint(0, 90, (128, 64)), torch.randint(0, 1000, (128,))]


def get_init_inputs():
    return [1000, 100]
