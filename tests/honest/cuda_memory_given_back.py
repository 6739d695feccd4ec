"""memory: what a call no longer needs goes back to the driver before it ends, so that others have room."""

import torch
import torch.nn as nn

TASK = "linear_large"
STATUS = "PASSED"
DEVICE = "cuda"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        y = self.fc(x)
        out = torch.relu(y)
        del y
        torch.cuda.empty_cache()
        return out
