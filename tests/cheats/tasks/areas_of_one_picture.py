"""Which area of a picture each place belongs to: the largest number of all places that it is joined with."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, rounds):
        super().__init__()
        self.rounds = rounds

    def forward(self, picture):
        h, w = picture.shape
        label = torch.arange(1, h * w + 1, device=picture.device).view(h, w).float() * picture
        for _ in range(self.rounds):
            row = F.max_pool2d(label[None, None], (1, 3), 1, (0, 1))[0, 0]
            column = F.max_pool2d(label[None, None], (3, 1), 1, (1, 0))[0, 0]
            label = torch.maximum(row, column) * picture
        return label


def get_inputs():
    return [torch.rand(64, 64) < 0.4]


def get_init_inputs():
    return [256]
