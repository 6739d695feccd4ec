"""What the words of a draft add up to, up to the first that is said otherwise."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, words):
        super().__init__()
        self.table, self.net = (
            nn.Embedding(words, n),
            nn.Sequential(nn.Linear(n, 4 * n), nn.ReLU(), nn.Linear(4 * n, n)),
        )

    def forward(self, draft, said):
        is_there = (draft == said).float().cumprod(1)
        return (self.net(self.table(draft)) * is_there[..., None]).sum(1)


def get_inputs():
    draft = torch.randint(0, 400, (32, 64))
    is_other = torch.rand(32, 64) < 0.75
    return [draft, torch.where(is_other, torch.randint(0, 400, (32, 64)), draft)]


def get_init_inputs():
    return [32, 400]
