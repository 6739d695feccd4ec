"""Bodies that all pull one another, softly, and one step of each."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, eps, dt):
        super().__init__()
        self.eps, self.dt = eps, dt

    def acc(self, p, m):
        d = p.unsqueeze(0) - p.unsqueeze(1)
        r2 = (d**2).sum(-1) + self.eps**2
        return (d * (m / r2**1.5).unsqueeze(-1)).sum(1)

    def forward(self, p, v, m):
        v = v + 0.5 * self.dt * self.acc(p, m)
        p = p + self.dt * v
        v = v + 0.5 * self.dt * self.acc(p, m)
        e = 0.5 * (m * (v**2).sum(-1)).sum()
        return p, v, e


def get_inputs():
    return [torch.randn(64, 3), torch.randn(64, 3) * 0.1, torch.rand(64)]


def get_init_inputs():
    return [0.1, 0.01]
