"""formula: scores by three products of bf16, each factor in two parts, as libraries do for float32."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "log_normaliser"
STATUS = "PASSED"


def _parts(value):
    high = value.bfloat16()
    return high.float(), (value - high.float()).bfloat16().float()


class ModelNew(nn.Module):
    def __init__(self, features, words):
        super().__init__()
        self.head = nn.Linear(features, words)

    def forward(self, x):
        (a, b), (c, d) = _parts(x), _parts(self.head.weight)
        scores = F.linear(a, c, self.head.bias) + (F.linear(a, d) + F.linear(b, c))
        return torch.logsumexp(scores, dim=-1)
