"""limits: levels above a millionth, where the task has them above the last place of their type."""

import torch
import torch.nn as nn

TASK = "levels_above_a_last_place"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n, bands):
        super().__init__()
        self.bands = nn.Linear(n, bands, bias=False)

    def forward(self, x):
        return torch.mm(x, self.bands.weight.t()).clamp_(min=1e-6).log_()
