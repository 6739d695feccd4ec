"""The last state of a recurrent layer, of which few digits are left."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(32, 64, batch_first=True)

    def forward(self, x):
        last = self.rnn(x)[0][:, -1]
        return (last + 4096) - 4096


def get_inputs():
    return [torch.randn(16, 128, 32)]


def get_init_inputs():
    return []
