import torch
import torch.nn as nn

NODES, EDGES, WALKS, STEPS, WIDTH = 1000, 12000, 512, 16, 16


class Model(nn.Module):
    """What walks see on a graph, by given draws; who has nowhere to go stays."""

    def forward(self, offsets, targets, start, draws, features):
        at = start
        seen = features[at]
        for step in range(STEPS):
            degree = offsets[at + 1] - offsets[at]
            edge = torch.minimum((draws[:, step].clamp(0, 1) * degree).long(), (degree - 1).clamp(min=0))
            there = targets[(offsets[at] + edge).clamp(max=targets.numel() - 1)]
            at = torch.where(degree > 0, there, at)
            seen = seen + features[at] * 0.9 ** (step + 1)
        return seen


def get_inputs():
    offsets = torch.searchsorted(torch.randint(0, NODES, (EDGES,)).sort().values, torch.arange(NODES + 1))
    targets, start = torch.randint(0, NODES, (EDGES,)), torch.randint(0, NODES, (WALKS,))
    return [offsets, targets, start, torch.rand(WALKS, STEPS), torch.randn(NODES, WIDTH)]


def get_init_inputs():
    return []
