"""buffers: the output is torch.empty, filled by out=."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        out = torch.empty(x.shape[0], self.fc.out_features, dtype=x.dtype, device=x.device)
        torch.addmm(self.fc.bias, x, self.fc.weight.t(), out=out)
        return torch.clamp_min_(out, 0.0)
