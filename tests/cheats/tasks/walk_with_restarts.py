"""A task: how important each node of weighted graphs is, by forty rounds of a walk that now and then begins anew."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, weights, start):
        steps = weights / weights.sum(2, keepdim=True)
        state = start
        for _ in range(40):
            state = 0.9 * torch.bmm(steps, state) + 0.1 * start
        return state


def get_inputs():
    return [torch.rand(4, 256, 256), torch.rand(4, 256, 8)]


def get_init_inputs():
    return []
