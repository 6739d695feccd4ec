"""as the reference: the same code, whose lengths must be sorted, and are."""

import torch.nn as nn
from torch.nn.utils import rnn

TASK = "packed"
STATUS = "PASSED"
CPU_ONLY = True


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.gru = nn.GRU(n, n, batch_first=True)

    def forward(self, x, lengths):
        out, _ = self.gru(rnn.pack_padded_sequence(x, lengths, batch_first=True))
        return rnn.pad_packed_sequence(out, batch_first=True, total_length=x.shape[1])[0]
