"""ties: the same where no index is returned."""

import torch
import torch.nn as nn

TASK = "gating_mix"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, experts):
        super().__init__()
        self.gate = nn.Linear(n, experts)
        self.experts = nn.Parameter(torch.randn(experts, n))

    def forward(self, x):
        best, which = torch.topk(self.gate(x), 4, dim=-1)
        return (torch.sigmoid(best)[:, None] @ self.experts[which])[:, 0]
