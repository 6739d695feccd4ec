"""A task: the mean error of all labels that are not ignored, and zero where all are."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, errors, labels):
        keep = labels != -100
        own = errors.gather(1, labels.clamp(min=0)[:, None])[:, 0]
        return torch.where(keep, own, 0.0).sum() / keep.sum().clamp(min=1)


def get_inputs():
    labels = torch.randint(0, 100, (512,))
    return [torch.randn(512, 100), torch.where(torch.rand(512) < 0.2, -100, labels)]


def get_init_inputs():
    return []
