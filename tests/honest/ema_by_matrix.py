"""formula: a triangular matrix of powers, by logarithms"""

import torch
import torch.nn as nn

TASK = "ema"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.proj = nn.Linear(n, n)
        self.register_buffer("decay", torch.tensor(0.9))

    def forward(self, x):
        y = self.proj(x)
        t = torch.arange(y.shape[1], device=x.device)
        age = (t[:, None] - t).clamp(min=0)
        m = torch.exp(age * self.decay.log()).tril()
        m[:, 1:] *= 1 - self.decay
        return m @ y
