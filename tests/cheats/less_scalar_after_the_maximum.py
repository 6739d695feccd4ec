"""less work: the maximum is taken before a scale of one number, which may be trained to be negative."""

import torch
import torch.nn as nn

TASK = "scalar_scale"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(1.0))

    def forward(self, x):
        return x.amax(1) * self.scale
