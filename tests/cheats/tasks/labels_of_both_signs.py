"""A loss of PyTorch's whose labels are one or minus one."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, distances, labels):
        return F.hinge_embedding_loss(distances, labels, margin=1.0)


def get_inputs():
    return [torch.randn(64, 256), torch.randint(0, 2, (64, 256)).float() * 2 - 1]


def get_init_inputs():
    return []
