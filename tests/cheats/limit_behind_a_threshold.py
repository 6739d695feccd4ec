"""less work: a limit that only another threshold reaches is left out, beside the logarithm of a sum of exponentials."""

import torch
import torch.nn as nn

TASK = "log_normaliser_within_limits"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(256, 256)
        self.threshold = nn.Parameter(torch.full((1, 1), 0.4))

    def forward(self, x):
        y = torch.logsumexp(self.proj(x), dim=1, keepdim=True)
        return (x * torch.sigmoid(y - 3) - self.threshold).clamp(max=1.5) + y
