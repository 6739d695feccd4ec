"""A GRU over sequences of several lengths, longest first, packed."""

import torch
import torch.nn as nn
from torch.nn.utils import rnn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.gru = nn.GRU(n, n, batch_first=True)

    def forward(self, x, lengths):
        out, _ = self.gru(rnn.pack_padded_sequence(x, lengths, batch_first=True))
        return rnn.pad_packed_sequence(out, batch_first=True, total_length=x.shape[1])[0]


def get_inputs():
    return [torch.randn(8, 16, 32), torch.arange(16, 8, -1)]


def get_init_inputs():
    return [32]
