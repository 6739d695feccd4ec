"""Experts of the best few groups, by a correction that is for the choice alone."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, dim, experts, groups, top_groups, top_k, scale):
        super().__init__()
        self.experts, self.groups, self.top_groups, self.top_k, self.scale = experts, groups, top_groups, top_k, scale
        self.weight = nn.Parameter(torch.randn(experts, dim) * dim**-0.5)
        self.register_buffer("correction", torch.zeros(experts))

    def forward(self, x):
        n = x.shape[0]
        scores = (x @ self.weight.T).sigmoid()
        choice = scores + self.correction
        by_group = choice.view(n, self.groups, -1)
        group_score = by_group.topk(2, dim=-1).values.sum(-1)
        chosen = group_score.topk(self.top_groups, dim=-1, sorted=False).indices
        allowed = torch.zeros_like(group_score).scatter_(1, chosen, 1.0).bool()
        masked = choice.view(n, self.groups, -1).masked_fill(~allowed[..., None], float("-inf")).view(n, -1)
        best = masked.topk(self.top_k, dim=-1).indices
        w = scores.gather(1, best)
        w = w / (w.sum(-1, keepdim=True) + 1e-20) * self.scale
        dense = torch.zeros_like(scores).scatter_(1, best, w)
        load = torch.bincount(best.reshape(-1), minlength=self.experts)
        return dense, load


def get_inputs():
    return [torch.randn(512, 64)]


def get_init_inputs():
    return [64, 64, 8, 3, 6, 2.5]
