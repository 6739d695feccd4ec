"""The product of shares that sum to one with themselves, beside a linear layer."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.P = nn.Parameter(torch.softmax(torch.randn(n, n), -1))
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        if bool((self.P < 0).any()) or bool(((self.P.sum(-1) - 1).abs() > 1e-4).any()):
            raise ValueError("shares must not be negative and sum to one")
        return self.fc(x) @ (self.P.t() @ self.P)


def get_inputs():
    return [torch.randn(16, 256)]


def get_init_inputs():
    return [256]
