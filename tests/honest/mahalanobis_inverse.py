"""formula: by solving with the matrix"""

import torch
import torch.nn as nn

TASK = "mahalanobis"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.proj = nn.Linear(n, m)
        self.register_buffer("mean", torch.zeros(m))
        self.register_buffer("cov", torch.eye(m))

    def forward(self, x):
        d = self.proj(x) - self.mean
        return (d * torch.linalg.solve(self.cov, d.T).T).sum(-1)
