"""algebra: as many steps as change anything"""

import torch
import torch.nn as nn

TASK = "spread_in_a_graph"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x, edges):
        source, target = edges
        for _ in range(48):
            before, x = x, x.scatter_reduce(0, target, x[source], "amax")
            if torch.equal(before, x):
                break
        return x
