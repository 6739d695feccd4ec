"""containers: nested outputs with an index, in other containers than the reference's, from one pass over the data."""

import torch
import torch.nn as nn

TASK = "stats"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x):
        var, mean = torch.var_mean(x, dim=1)
        values, indices = torch.max(x, dim=1)
        return {"mean": mean, "rest": (var, [values, indices])}
