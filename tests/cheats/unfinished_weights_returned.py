"""unfinished work: the weights themselves where a copy is to be returned, and who writes into that spoils them."""

import torch
import torch.nn as nn

TASK = "start_beside"
STATUS = "REJECTED"
FINDING = "output_kept"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.start = nn.Parameter(torch.randn(n, n))

    def forward(self, x):
        return torch.relu(x) + self.start[0], self.start.detach()
