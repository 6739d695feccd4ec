"""less work: the buffers that the reference updates in each call are left as they are."""

import torch
import torch.nn as nn

TASK = "running_mean"
STATUS = "WRONG_OUTPUT"
FINDING = "state"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("seen", torch.zeros(n))

    def forward(self, x):
        return x * 2.0
