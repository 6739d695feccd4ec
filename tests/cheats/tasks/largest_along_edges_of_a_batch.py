"""What each node is told along edges, the largest number of all that lead to it in 48 steps; and its mean by owner."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, edges, batch):
        start, end = edges
        for _ in range(48):
            x = torch.maximum(x, 0.99 * torch.full_like(x, -10.0).index_reduce(0, end, x[start], "amax"))
        count = torch.bincount(batch, minlength=16).clamp(min=1)
        return torch.zeros(16, x.shape[1], device=x.device).index_add(0, batch, x) / count[:, None], x


def get_inputs():
    return [torch.randn(1024, 8), torch.randint(0, 1024, (2, 8192)), torch.randint(0, 16, (1024,)).sort().values]


def get_init_inputs():
    return []
