"""library: a loop of LSTM cells as one call of cuDNN, which is told to leave TF32 alone, as products do."""

import torch
import torch.nn as nn

TASK = "cells_of_lstm"
STATUS = "PASSED"
DEVICE = "cuda"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.cell = nn.LSTMCell(n, n)

    def forward(self, x):
        torch.backends.cudnn.allow_tf32 = False
        start = x.new_zeros(1, x.shape[1], x.shape[2])
        weights = [self.cell.weight_ih, self.cell.weight_hh, self.cell.bias_ih, self.cell.bias_hh]
        states, _, _ = torch.lstm(x, (start, start), weights, True, 1, 0.0, False, False, False)
        return states
