"""What somebody looked at next, each step counted once however often it was made; a way ends with zeros."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, items, dim):
        super().__init__()
        self.table = nn.Embedding(items, dim)

    def forward(self, way):
        same = way[:, :, None] == way[:, None, :]
        before = (same[:, 1:, 1:] & same[:, :-1, :-1]).tril(-1).any(-1)
        counts = (way[:, 1:] != 0) & ~before
        liked = self.table(way[:, 1:]) * counts[..., None]
        return liked.sum(1) / counts.sum(1, keepdim=True).clamp(min=1), counts.sum(1)


def get_inputs():
    lengths = torch.randint(8, 129, (32, 1))
    return [torch.where(torch.arange(128) < lengths, torch.randint(1, 50_000, (32, 128)), 0)]


def get_init_inputs():
    return [50_000, 16]
