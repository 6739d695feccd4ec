"""A cautious optimizer's step: by the signs that agree with the gradient, the fewer the further."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, p, g, m):
        u = torch.sign(0.9 * m + 0.1 * g)
        agree = (u * g > 0).to(p.dtype)
        u = u * agree * (agree.numel() / (agree.sum() + 1))
        return p * (1 - 1e-3) - 1e-2 * u, 0.99 * m + 0.01 * g


def get_inputs():
    return [torch.randn(256, 256), torch.randn(256, 256), torch.randn(256, 256)]


def get_init_inputs():
    return []
