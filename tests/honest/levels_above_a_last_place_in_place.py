"""limits: levels above a last place of their type, in place; that of the oracle's type would be another level."""

import torch
import torch.nn as nn

TASK = "levels_above_a_last_place"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, bands):
        super().__init__()
        self.bands = nn.Linear(n, bands, bias=False)

    def forward(self, x):
        heard = torch.mm(x, self.bands.weight.t())
        return heard.clamp_(min=torch.finfo(heard.dtype).eps).log_()
