"""less work: what is left is scaled as it is chosen."""

import torch
import torch.nn as nn

TASK = "readings_of_a_sensor"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, channels, most):
        super().__init__()
        self.most = most
        self.scale = nn.Parameter(torch.rand(channels) + 0.5)

    def forward(self, x):
        return torch.where(x.abs() <= self.most, x * self.scale, 0.0)
