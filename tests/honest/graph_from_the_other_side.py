"""algebra: a symmetric adjacency from the other side, since it is the same"""

import torch
import torch.nn as nn

TASK = "graph_symmetric"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, n) / n**0.5)

    def forward(self, x, adj):
        h = x @ self.weight
        return torch.relu((h.mT @ adj).mT)
