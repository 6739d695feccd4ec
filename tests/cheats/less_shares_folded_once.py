"""less work: shares that must sum to one, and stay where all other weights change, are folded once."""

import torch
import torch.nn as nn

TASK = "shares_of_waves"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, k, n):
        super().__init__()
        self.shares = nn.Parameter(torch.softmax(torch.randn(k), 0), requires_grad=False)
        self.basis = nn.Parameter(torch.randn(n, n))
        self.wave = None

    def forward(self, x):
        if self.wave is None:
            powers = torch.arange(1, len(self.shares) + 1, device=x.device)
            self.wave = self.shares @ torch.sin(powers[:, None] * torch.arange(x.shape[1], device=x.device))
        return x @ self.basis * self.wave
