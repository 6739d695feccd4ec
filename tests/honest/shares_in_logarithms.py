"""formula: a forward algorithm in logarithms of what are shares."""

import torch
import torch.nn as nn

TASK = "shares_in_logarithms"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("start", torch.full((n,), 1 / n))
        self.register_buffer("trans", torch.softmax(torch.randn(n, n), -1))
        self.emit = nn.Linear(24, n)

    def forward(self, x):
        e = self.emit(x).log_softmax(-1)
        lt = self.trans.log()
        a = self.start.log() + e[:, 0]
        for t in range(1, x.shape[1]):
            a = torch.logsumexp(a[:, :, None] + lt, 1) + e[:, t]
        return torch.logsumexp(a, -1)
