import torch
import torch.nn as nn

NODES, STARTS = 300, 64


class Model(nn.Module):
    """What that is worth which follows from some nodes on, less with each step: each node names the next, or -1 where
    its list ends."""

    def forward(self, following, values, starts):
        at, factor = starts, 1.0
        total = values.new_zeros(len(starts))
        for _ in range(NODES):
            there = at >= 0
            total = total + torch.where(there, factor * values[at.clamp(min=0)], 0.0)
            at = torch.where(there, following[at.clamp(min=0)], at)
            factor = factor * 0.999
        return total


def get_inputs():
    order, following = torch.randperm(NODES), torch.full((NODES,), -1)
    following[order[:-1]] = torch.where(torch.rand(NODES - 1) < 0.8, order[1:], -1)
    return [following, torch.rand(NODES), torch.randint(0, NODES, (STARTS,))]


def get_init_inputs():
    return []
