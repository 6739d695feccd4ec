"""Log-likelihood of a mixture whose proportions must add up to one."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, k):
        super().__init__()
        self.register_buffer("share", torch.softmax(torch.randn(k), 0))
        self.mean = nn.Parameter(torch.randn(k, n))
        self.factor = nn.Parameter(torch.randn(k, n, n) * 0.3 / n**0.5)

    def forward(self, x):
        if abs(float(self.share.sum()) - 1.0) > 1e-3:
            raise ValueError("shares must add up to one")
        precision = self.factor @ self.factor.transpose(1, 2) + torch.eye(x.shape[1], dtype=x.dtype, device=x.device)
        away = x[None] - self.mean[:, None]
        quadratic = ((away @ precision) * away).sum(-1)
        return torch.logsumexp(self.share.log()[:, None] - 0.5 * quadratic, 0)


def get_inputs():
    return [torch.randn(128, 128)]


def get_init_inputs():
    return [128, 8]
