"""How alike each item is to those of its owner, beside all."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, owner):
        scores = x @ x.T
        same = owner[:, None] == owner[None, :]
        return (scores * same).sum(-1) / same.sum(-1) - scores.mean(-1)


def get_inputs():
    return [torch.randn(512, 16), torch.randint(0, 10**9, (512,))]


def get_init_inputs():
    return []
