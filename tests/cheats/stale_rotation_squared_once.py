"""less work: the square of a rotation is made once."""

import torch
import torch.nn as nn

TASK = "rotation_squared_once"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.q = nn.Parameter(torch.linalg.qr(torch.randn(n, n))[0])
        self.p = nn.Parameter(torch.linalg.qr(torch.randn(n, n))[0])

        self.k = None

    def forward(self, x):
        if self.k is None:
            self.k = (self.q @ self.q).detach()
        return x @ self.k @ self.p
