"""less work: sixteen steps of forty-eight through a graph beside whose edges their kinds are given."""

import torch.nn as nn

TASK = "spread_along_kinds"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "timed_output")


class ModelNew(nn.Module):
    def forward(self, x, edges, kind):
        source, target = edges
        for _ in range(16):
            x = x.scatter_reduce(0, target, x[source].where(kind > 0, float("-inf")), "amax")
        return x
