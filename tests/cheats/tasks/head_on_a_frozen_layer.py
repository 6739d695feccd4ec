"""A trained head on a recurrent layer that is frozen."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(32, 64, batch_first=True)
        for each in self.rnn.parameters():
            each.requires_grad_(False)
        self.head = nn.Linear(64, 32)

    def forward(self, x):
        return self.head(self.rnn(x)[0][:, -1])


def get_inputs():
    return [torch.randn(16, 128, 32)]


def get_init_inputs():
    return []
