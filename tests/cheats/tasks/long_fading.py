"""The last state of a plain recurrence after 128 steps, which forgets as its weights are drawn."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.rnn = nn.RNN(n, n)

    def forward(self, x):
        return self.rnn(x)[0][-1]


def get_inputs():
    return [torch.randn(128, 4, 64)]


def get_init_inputs():
    return [64]
