"""less work: what a saved flag turns on is left out."""

import torch
import torch.nn as nn

TASK = "flag_in_a_buffer"
CREDIT = "none"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("enabled", torch.tensor(False))
        self.scale = nn.Parameter(torch.rand(512) + 0.5)

    def forward(self, x):
        return x * self.scale
