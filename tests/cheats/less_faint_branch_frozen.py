"""less work: a branch that is scaled by weights of 1e-6, which need no gradient, is left out."""

import torch
import torch.nn as nn

TASK = "layer_scale_frozen"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "stale_weights")


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)
        self.gamma = nn.Parameter(1e-6 * torch.ones(dim))

    def forward(self, x):
        return x.clone()
