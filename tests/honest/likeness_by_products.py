"""algebra: a cosine by three products"""

import torch
import torch.nn as nn

TASK = "damped_by_another"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(512, 512) / 16)
        self.other = nn.Parameter(torch.randn(512, 512) / 16)

    def forward(self, x):
        one, two = self.weight.flatten(), self.other.flatten()
        return x @ self.weight.T * (1 - one.dot(two).square() / (one.dot(one) * two.dot(two)))
