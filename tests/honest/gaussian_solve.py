"""library: solves with the matrix"""

import torch
import torch.nn as nn

TASK = "gaussian"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.proj = nn.Linear(n, m)
        r = torch.randn(m, 3 * m)
        self.register_buffer("mean", torch.randn(m))
        self.register_buffer("cov", r @ r.T / (3 * m))

    def forward(self, x):
        d = self.proj(x) - self.mean
        return (d * torch.linalg.solve(self.cov, d.T).T).sum(-1)
