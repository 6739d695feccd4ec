"""A graph convolution, its edges the same in every draw."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(32, 32)

    def forward(self, x, edges):
        ones = x.new_ones(edges.shape[1])
        a = x.new_zeros(256, 256).index_put((edges[1], edges[0]), ones, accumulate=True)
        a = a + torch.eye(256, device=x.device)
        d = a.sum(1).rsqrt()
        return (d[:, None] * a * d) @ self.lin(x)


def get_inputs():
    g = torch.Generator().manual_seed(0)
    return [torch.randn(256, 32), torch.randint(0, 256, (2, 2048), generator=g)]


def get_init_inputs():
    return []
