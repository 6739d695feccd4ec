"""Two linear layers whose weights begin as the kind of layer says; recurrent ones would otherwise. None is there."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.up, self.down = nn.Linear(n, n), nn.Linear(n, n)
        for layer in self.modules():
            if isinstance(layer, (nn.LSTM, nn.GRU)):
                nn.init.orthogonal_(layer.weight_hh_l0)
            elif isinstance(layer, nn.Linear):
                nn.init.xavier_uniform_(layer.weight)

    def forward(self, x):
        return self.down(torch.relu(self.up(x)))


def get_inputs():
    return [torch.randn(4096, 2048)]


def get_init_inputs():
    return [2048]
