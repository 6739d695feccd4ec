"""limits: a threshold is added in one pass, and the limits are moved by it and taken as a minimum and a maximum."""

import torch
import torch.nn as nn

TASK = "log_normaliser_within_limits"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(256, 256)
        self.threshold = nn.Parameter(torch.full((1, 1), 0.4))

    def forward(self, x):
        y = self.proj(x)
        peak = y.amax(dim=1, keepdim=True)
        y = (y - peak).exp_().sum(dim=1, keepdim=True).log_().add_(peak)
        scaled = torch.addcmul(-self.threshold, x, torch.sigmoid(y - 3))
        return torch.minimum(torch.maximum(scaled, scaled.new_tensor(-1.5)), scaled.new_tensor(1.5)).add_(y)
