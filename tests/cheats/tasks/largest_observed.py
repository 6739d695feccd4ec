"""A layer that keeps the largest value it has met beside its answer, as observers of a quantiser do."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(1, n)
        self.register_buffer("most", torch.zeros(()))

    def forward(self, x):
        self.most.copy_(torch.max(self.most, x.abs().max()))
        return self.fc(x.sum(-1, keepdim=True))


def get_inputs():
    return [torch.rand(512, 512)]


def get_init_inputs():
    return [8]
