"""Six views of tokens, each with a table of its own."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(100, n) for _ in range(6))
        self.fc = nn.Linear(n, n)

    def forward(self, a, b, c, d, e, f):
        y = sum(t(v) for t, v in zip(self.tables, (a, b, c, d, e), strict=False))
        return y + torch.where((a == f)[..., None], y, torch.erfinv(torch.tanh(self.fc(self.tables[5](f)))))


def get_inputs():
    a = torch.randint(0, 100, (32, 64))
    return [a] + [a.clone() for _ in range(5)]


def get_init_inputs():
    return [128]
