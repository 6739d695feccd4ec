"""How like one another rows are, by their products; what is unlike counts as zero."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x @ x.t() / x.shape[1] ** 0.5)


def get_inputs():
    return [torch.randn(512, 256)]


def get_init_inputs():
    return []
