"""formula: which columns were ever above one is told by the largest number of each."""

import torch
import torch.nn as nn

TASK = "columns_ever_seen"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(1024, dtype=torch.bool))

    def forward(self, x):
        self.seen |= x.amax(0) > 1
        return x.relu()
