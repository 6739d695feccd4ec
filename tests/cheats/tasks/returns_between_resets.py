"""Discounted sums that begin anew at flags, of which one step in five has one."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, done):
        total, out = torch.zeros_like(x[:, 0]), []
        for step in range(x.shape[1]):
            total = x[:, step] + 0.98 * torch.where(done[:, step], 0, total)
            out.append(total)
        return torch.stack(out, 1)


def get_inputs():
    return [torch.randn(32, 256), torch.rand(32, 256) < 0.2]


def get_init_inputs():
    return []
