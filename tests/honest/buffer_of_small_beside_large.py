"""less work: sums that are kept in one buffer of two scales, each by one product in place of a softmax."""

import torch
import torch.nn as nn

TASK = "running_small_beside_large"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("kept", torch.zeros(2, n))

    def forward(self, x):
        shifted = (x - x.amax(0)).exp()
        small = 1e-3 * shifted.square().sum(0) * x.amax(0).exp() / (shifted.sum(0) * x.shape[0])
        self.kept[0].mul_(0.5).add_(small, alpha=0.5)
        self.kept[1].mul_(0.5).add_(x.square().sum(0), alpha=250 / x.shape[0])
        return x.clamp(-2.0, 2.0)
