import torch
import torch.nn as nn

TASKS, EDGES = 201, 500


class Model(nn.Module):
    """When each task of a plan is done at the earliest: edges lead from tasks to later ones."""

    def forward(self, edges, took):
        start = torch.zeros_like(took)
        for _ in range(TASKS):
            done = start + took.abs()
            start = torch.zeros_like(took).scatter_reduce_(0, edges[1], done[edges[0]], "amax")
        return start + took.abs()


def get_inputs():
    edges = torch.randint(0, TASKS - 1, (2, EDGES))
    edges[1] += edges[0] == edges[1]
    return [edges.sort(0).values, torch.rand(TASKS)]


def get_init_inputs():
    return []
