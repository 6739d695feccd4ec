"""unfinished work: two outputs lie over one another, a row apart."""

import torch
import torch.nn as nn

TASK = "lagged"
STATUS = "REJECTED"
FINDING = "output_plain"


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.relu(x)
        return y[:-1], y[1:]
