"""Weighted sums of embeddings over bags that begin at offsets."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, words, n):
        super().__init__()
        self.bag = nn.EmbeddingBag(words, n, mode="sum")

    def forward(self, ids, offsets, weights):
        return self.bag(ids, offsets, weights)


def get_inputs():
    return [torch.randint(0, 1000, (2048,)), torch.arange(0, 2048, 32), torch.rand(2048)]


def get_init_inputs():
    return [1000, 64]
