"""Log normalisers of likenesses to many small pictures."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, pictures):
        return torch.logsumexp(x @ pictures.flatten(1).T, -1)


def get_inputs():
    return [0.4 * torch.randn(64, 32), 0.2 * torch.randn(20000, 2, 4, 4)]


def get_init_inputs():
    return []
