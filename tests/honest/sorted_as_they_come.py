"""ties: equal values as they come, by places that are part of the key."""

import torch
import torch.nn as nn

TASK = "sorted_stably"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x):
        places = torch.argsort(x, dim=-1, stable=True)
        return x.gather(-1, places), places
