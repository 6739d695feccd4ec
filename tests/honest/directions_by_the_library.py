"""library: directions by the library, which guards what has no length."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "directions_by_deviations"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, eps):
        super().__init__()
        self.eps = eps

    def forward(self, x, mean, std):
        return F.normalize(x - mean, dim=-1, eps=self.eps) / std + torch.log(std)
