"""library: quantiles in a buffer, which stay in order, are searched"""

import torch
import torch.nn as nn

TASK = "quantiles_counted"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("quantiles", torch.linspace(0.05, 3.0, 24))

    def forward(self, x):
        return torch.searchsorted(self.quantiles, x.abs(), right=True) / len(self.quantiles) + x
