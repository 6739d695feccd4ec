"""A loss that is made to ignore a label which no draw has."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.head, self.loss = nn.Linear(32, 20), nn.CrossEntropyLoss(ignore_index=0)

    def forward(self, x, labels):
        return self.loss(self.head(x).transpose(1, 2), labels)


def get_inputs():
    return [torch.randn(16, 24, 32), torch.randint(1, 20, (16, 24))]


def get_init_inputs():
    return []
