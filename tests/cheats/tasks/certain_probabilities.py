"""A loss of probabilities of which some are one, and a faint copy of it; float64 cannot be asked."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, p, y):
        loss = F.binary_cross_entropy(p, y, reduction="none") @ torch.eye(64, dtype=torch.float32, device=p.device)
        return torch.cat([loss, 1e-8 * loss])


def get_inputs():
    p = torch.rand(64, 64)
    p[:, 0] = 1.0
    return [p, torch.rand(64, 64)]


def get_init_inputs():
    return []
