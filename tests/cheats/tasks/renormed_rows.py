"""The mean of the embeddings of each row's tokens; rows of the table that are too long are shortened where they are."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, count, n):
        super().__init__()
        self.table = nn.Embedding(count, n)

    def forward(self, tokens):
        weight = self.table.weight
        with torch.no_grad():
            weight.mul_((1 / weight.norm(dim=1, keepdim=True)).clamp(max=1))
        return self.table(tokens).mean(1)


def get_inputs():
    return [torch.randint(0, 1000, (32, 64))]


def get_init_inputs():
    return [1000, 128]
