"""algebra: what is wanted of a hash table is looked for among its keys in order, and some is not there."""

import torch
import torch.nn as nn

TASK = "looked_up_in_chains"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, heads, following, keys, values, wanted):
        ordered, order = keys.sort()
        at = torch.searchsorted(ordered, wanted).clamp(max=len(keys) - 1)
        return torch.where(ordered[at] == wanted, values[order[at]], 0.0)
