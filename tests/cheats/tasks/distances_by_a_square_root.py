"""Distances from a mean by a covariance that is given as a root, which is nearly singular by chance."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, mean, root):
        noise = 1e-2 * torch.eye(root.shape[-1], device=x.device)
        covariance = root @ root.mT + noise
        off = x - mean
        return torch.einsum("nd,de,ne->n", off, torch.linalg.inv(covariance), off), torch.logdet(covariance)


def get_inputs():
    return [torch.randn(256, 12), torch.randn(12), torch.randn(12, 12)]
