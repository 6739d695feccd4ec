"""formula: mish by one exponential, which is right beside one and has lost what is far below it."""

import torch
import torch.nn as nn

TASK = "mish_of_mish"
STATUS = "PASSED"


def mish(x):
    e = torch.exp(x.clamp(max=20.0))
    return torch.where(x > 20.0, x, x * (1.0 - 2.0 / ((e + 2.0) * e + 2.0)))


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return mish(mish(self.fc(x)))
