"""limits: a loss of probabilities by two logarithms; what is no probability nobody need take."""

import torch
import torch.nn as nn

TASK = "probabilities"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, p, y):
        return (y - 1) * torch.log1p(-p).clamp(min=-100) - y * p.log().clamp(min=-100)
