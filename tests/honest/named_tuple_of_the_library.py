"""containers: the named tuple that the library gives, as it is."""

import torch
import torch.nn as nn

TASK = "best_few"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.topk(x, 32, dim=-1)
