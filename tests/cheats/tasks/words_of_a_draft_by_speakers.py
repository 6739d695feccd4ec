"""What the words of a draft say up to the first that is said otherwise, each beside who says it."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, words):
        super().__init__()
        self.table, self.speakers = nn.Embedding(words, n), nn.Embedding(64, n)
        self.net = nn.Sequential(nn.Linear(n, 4 * n), nn.ReLU(), nn.Linear(4 * n, n))

    def forward(self, draft, speaker, said):
        is_there = (draft == said).float().cumprod(1)
        return (self.net(self.table(draft) + self.speakers(speaker)) * is_there[..., None]).sum(1)


def get_inputs():
    return [torch.randint(0, 64, (64, 128)), torch.randint(0, 64, (64, 128)), torch.randint(0, 64, (64, 128))]


def get_init_inputs():
    return [64, 64]
