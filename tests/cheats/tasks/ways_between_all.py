"""A task: how long the shortest ways to all nodes of dense graphs are, by thirty rounds, each a step further."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, steps, start):
        far = start
        for _ in range(30):
            far = torch.minimum(far, (far.unsqueeze(3) + steps.abs().unsqueeze(1)).amin(2))
        return far


def get_inputs():
    return [torch.rand(2, 96, 96), 10 * torch.rand(2, 8, 96)]


def get_init_inputs():
    return []
