"""What each costs that has four neighbours, which it may reach for one, 64 times at most."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, cost, near):
        for _ in range(64):
            cost = torch.minimum(cost, cost[near].amin(-1) + 1)
        return cost


def get_inputs():
    cost = torch.full((1024,), 100.0)
    cost[torch.randint(0, 1024, (8,))] = 0
    return [cost + torch.rand(1024), torch.randint(0, 1024, (1024, 4))]


def get_init_inputs():
    return []
