"""algebra: steps through a graph with kinds of edges until nothing changes."""

import torch
import torch.nn as nn

TASK = "spread_along_kinds"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x, edges, kind):
        source, target = edges
        for _ in range(48):
            last, x = x, x.scatter_reduce(0, target, x[source].where(kind > 0, float("-inf")), "amax")
            if torch.equal(last, x):
                break
        return x
