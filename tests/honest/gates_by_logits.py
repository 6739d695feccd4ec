"""ties: the best are found among logits, whose order the sigmoids have where they do not saturate."""

import torch
import torch.nn as nn

TASK = "gating_sigmoid"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, experts):
        super().__init__()
        self.gate = nn.Linear(n, experts, bias=False)

    def forward(self, x):
        best, experts = torch.topk(self.gate(x), 2, dim=-1)
        return torch.sigmoid(best), experts
