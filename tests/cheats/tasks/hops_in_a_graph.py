"""How many steps nodes of a graph are from one another, 64 at most."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, links):
        reach, hops = links, torch.ones_like(links, dtype=torch.float32)
        for _ in range(63):
            hops = hops + ~reach
            reach = reach | (links.float() @ reach.float() > 0)
        return hops


def get_inputs():
    return [torch.rand(64, 64) < 0.4]


def get_init_inputs():
    return []
