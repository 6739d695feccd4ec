"""How far nodes of a graph are from one another, by the lengths of its edges."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, links):
        far = torch.where(links > 0, links, 1e4)
        best = far
        for _ in range(63):
            best = torch.minimum(best, (best[:, :, None] + far).amin(1))
        return best


def get_inputs():
    return [(torch.rand(64, 64) + 0.5) * (torch.rand(64, 64) < 0.3)]


def get_init_inputs():
    return []
