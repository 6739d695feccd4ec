"""A store that gains and loses by noise, and holds no more, and owes no more, than so much."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, most):
        super().__init__()
        self.most = most

    def forward(self, flow):
        level, out = torch.zeros_like(flow[:, 0]), []
        for t in range(flow.shape[1]):
            level = (level + flow[:, t]).clamp(-self.most, self.most)
            out.append(level)
        return torch.stack(out, 1)


def get_inputs():
    return [torch.randn(64, 256)]


def get_init_inputs():
    return [80.0]
